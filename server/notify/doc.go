// Package notify sends messages: notices of alerts and deliveries of dashboards, by mail and to the channels that the owners of a workspace
// allow.
//
// A message is a row that the store queued in the transaction of its cause:
//
//	queued ─► taken when it is due ─► claimed: may the recipient still get it? ─► composed ─► rendered ─► sent
//	                                     └─► over              receiver away ─► due again later, for a day
//	                                                           receiver refuses ─► failed
//
// If a process dies while it sends a message, another process sends the message again with the same id. So a message arrives at least once,
// and its id shows a receiver that it has the message already.
//
// A composed message is a [service/store/channel.Content], which does not depend on a channel. This package turns it into e-mails, and
// package channel turns it into the format of each kind of channel. This package sends the result, with one check against private
// addresses. In e-mails and in all channels, texts of people and of data are inert: no markup, no mentions, no links except ours.
// Addresses, URLs and answers of receivers are never logged.
package notify
