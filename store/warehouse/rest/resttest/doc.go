// Package resttest contains the parts of stand-ins that do not depend on the vendor, for the tests of the kinds below [rest].
//
// A stand-in is a server that answers as a vendor's reference requires, for statements whose outcomes are recorded: it recognizes SQL by
// its text, and does not parse it. [Server] keeps its statements and runs, and can disturb its answers. [Statements] are the statements of
// the conformance suite with their outcomes, in the columns and cells of one vendor. The tests of the wire ([Throttled], [Expired],
// [BrokenAnswers], [Lost], [Hostile], [Private], [EndlessCatalog]) are the same for all kinds. So the tests of a kind contain only its
// protocol, its types, its own statements, and its errors.
package resttest
