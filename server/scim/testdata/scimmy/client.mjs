// A client of SCIM whose types are those of SCIMMY, another implementation. It checks that each answer of a service is what that
// implementation reads, and that a change has the result there which it has here. It prints one line for each difference.
//
//   node client.mjs <address of the service> <token>
import assert from "node:assert"
import SCIMMY from "scimmy"

const [url, token] = process.argv.slice(2)
const {Schemas, Messages} = SCIMMY
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
Schemas.User.extend(Schemas.EnterpriseUser)

const differ = (...words) => console.log(words.join(" "))

async function send(method, path, body) {
  const res = await fetch(url + path, {
    method, body: body && JSON.stringify(body),
    headers: {authorization: `Bearer ${token}`, "content-type": "application/scim+json", accept: "application/scim+json"},
  })
  const text = await res.text()
  return {status: res.status, body: text && JSON.parse(text)}
}

// read makes a resource of the other implementation out of an answer. It refuses what RFC 7643 does not allow.
function read(what, type, body) {
  try {
    return new type(body, "out", body.meta?.location?.replace(/\/[^/]*$/, ""))
  } catch (e) {
    differ(what, "is not read:", e.message, JSON.stringify(body))
  }
}

// plain is a resource without the attributes that the service sets.
function plain(v) {
  const {meta, schemas, id, groups, password, ...rest} = JSON.parse(JSON.stringify(v))
  for (const [name, value] of Object.entries(rest)) if (value?.length === 0) delete rest[name] // unassigned (RFC 7643, 2.5)
  for (const list of Object.values(rest)) { // the order of a list has no meaning
    if (Array.isArray(list)) list.sort((a, b) => (a.value < b.value ? -1 : 1))
  }
  for (const m of rest.members ?? []) delete m.$ref, delete m.display, delete m.type
  return rest
}

async function list(what, path, type) {
  const {status, body} = await send("GET", path)
  if (status !== 200) return differ(what, status, JSON.stringify(body)), []
  if (body.schemas?.join() !== Messages.ListResponse.id) differ(what, "has schemas", body.schemas)
  if (body.totalResults === undefined || body.itemsPerPage === undefined || body.startIndex === undefined) differ(what, JSON.stringify(body))
  return (body.Resources ?? []).map((r) => (type ? read(what, type, r) : r))
}

// What the service reports of itself.
const config = await send("GET", "/ServiceProviderConfig")
read("ServiceProviderConfig", Schemas.ServiceProviderConfig, config.body)
const kinds = await list("ResourceTypes", "/ResourceTypes", Schemas.ResourceType)
for (const name of ["User", "Group"]) if (!kinds.some((k) => k?.name === name)) differ("ResourceTypes lack", name)
const schemas = await list("Schemas", "/Schemas")
for (const type of [Schemas.User, Schemas.Group, Schemas.EnterpriseUser]) {
  const described = schemas.find((s) => s.id === type.definition.id)
  if (!described) { differ("Schemas lack", type.definition.id); continue }
  const compare = (path, theirs, ours) => {
    for (const a of ours) {
      const b = theirs.find((b) => b.name === a.name)
      if (!b) { differ("the schema has", path + a.name); continue }
      for (const key of ["type", "multiValued"]) if (a[key] !== b[key]) differ("the schema has", path + a.name, key, a[key])
      if (a.subAttributes && b.subAttributes) compare(path + a.name + ".", b.subAttributes, a.subAttributes)
    }
  }
  compare("", JSON.parse(JSON.stringify(type.definition.describe())).attributes, described.attributes)
}

let count = 0
const person = () => {
  const name = `p${++count}@example.com`
  return {
    schemas: [Schemas.User.definition.id, enterprise], userName: name, externalId: "x-" + name, active: true, displayName: "Ann Example",
    name: {givenName: "Ann", familyName: "Example"},
    emails: [{value: name, type: "work", primary: true}, {value: "home-" + name, type: "home"}],
    phoneNumbers: [{value: "tel:+1-555", type: "work"}],
    [enterprise]: {department: "Data", employeeNumber: "7"},
  }
}
const make = async (path, body) => {
  const made = await send("POST", path, body)
  if (made.status !== 201) throw new Error(`POST ${path}: ${made.status} ${JSON.stringify(made.body)}`)
  return made.body
}

// A new person is what was sent.
const first = person()
const made = await make("/Users", first)
read("a new user", Schemas.User, made)
try { assert.deepStrictEqual(plain(made), plain(first)) } catch (e) { differ("a new user differs:", e.message) }

// Changes have the same result here and there, but for these: names of attributes do not depend on capitals (RFC 7643, 2.1); providers
// expect that a change of an address that a person lacks adds it; a member is in a group once; and a replacement without a path replaces
// lists (RFC 7644, 3.5.2.3), as Okta expects.
const [a, b, c] = (await Promise.all([1, 2, 3].map(() => make("/Users", person())))).map((u) => u.id)
const ours = [
  [{op: "add", path: "members", value: [{value: b}, {value: c}]}],
  [{op: "replace", value: {displayName: "Another", members: [{value: c}]}}],
  [{op: "Replace", path: "DISPLAYNAME", value: "B"}],
  [{op: "replace", path: "emails[type eq \"other\"].value", value: "x@example.com"}],
].map((o) => JSON.stringify(o))
const changes = [
  [{op: "replace", path: "displayName", value: "B"}],
  [{op: "Replace", path: "DISPLAYNAME", value: "B"}],
  [{op: "replace", value: {displayName: "B", active: false}}],
  [{op: "add", value: {title: "Dr", name: {middleName: "M"}}}],
  [{op: "replace", path: "name.givenName", value: "Bea"}],
  [{op: "replace", path: "name", value: {formatted: "Bea"}}],
  [{op: "add", path: "name", value: {formatted: "Bea"}}],
  [{op: "replace", value: {name: {formatted: "Bea"}}}],
  [{op: "replace", path: "emails[type eq \"work\"]", value: {value: "w@example.com", type: "work"}}],
  [{op: "replace", path: "emails[type eq \"work\"]", value: {value: "w@example.com"}}],
  [{op: "remove", path: "displayName"}],
  [{op: "remove", path: "name.familyName"}],
  [{op: "remove", path: "name"}],
  [{op: "remove", path: "emails[type eq \"home\"]"}],
  [{op: "remove", path: "emails"}],
  [{op: "remove", path: "phoneNumbers[type eq \"work\"].value"}],
  [{op: "replace", path: "emails[type eq \"work\"].value", value: "w@example.com"}],
  [{op: "replace", path: "emails[type eq \"home\" and value co \"home\"].value", value: "h@example.com"}],
  [{op: "add", path: "emails", value: [{value: "o@example.com", type: "other"}]}],
  [{op: "add", path: "emails", value: {value: "o@example.com", type: "other"}}],
  [{op: "replace", path: "emails", value: [{value: "o@example.com", type: "other"}]}],
  [{op: "add", path: "emails[type eq \"home\"].display", value: "At home"}],
  [{op: "replace", path: enterprise + ":department", value: "Sales"}],
  [{op: "remove", path: enterprise + ":department"}],
  [{op: "add", path: enterprise + ":costCenter", value: "4"}],
  [{op: "replace", value: {[enterprise]: {department: "Sales"}}}],
  [{op: "add", path: "title", value: "Dr"}, {op: "replace", path: "title", value: "Prof"}, {op: "remove", path: "displayName"}],
  [{op: "replace", path: "emails[type eq \"other\"].value", value: "x@example.com"}],
  [{op: "remove", path: "emails[type eq \"none\"]"}],
  [{op: "replace", path: "userName"}],
  [{op: "remove", path: "userName"}],
  [{op: "replace", path: "id", value: "x"}],
  [{op: "replace", path: "nothing", value: "x"}],
  [{op: "replace", path: "active", value: {a: 1}}],
  [{op: "replace", path: "emails[", value: "x"}],
  [{op: "remove"}],
  [{op: "move", path: "title", value: "x"}],
  [],
]
async function change(kind, type, body, Operations) {
  const words = JSON.stringify(Operations)
  const before = await make(kind, body)
  const request = {schemas: [Messages.PatchOp.id], Operations}
  let want, refused
  try {
    want = plain((await new Messages.PatchOp(request).apply(new type(before, "out"), (v) => v)) ?? before)
  } catch (e) {
    refused = e.message
  }
  const got = await send("PATCH", kind + "/" + before.id, request)
  if (got.status >= 400) {
    if (!refused) differ("PATCH", words, "is refused:", got.status, JSON.stringify(got.body))
    if (got.status !== 400 || !got.body.schemas.includes(Messages.ErrorResponse.id)) differ("PATCH", words, JSON.stringify(got.body))
    return
  }
  read("PATCH " + words, type, got.body)
  if (ours.includes(words)) return
  if (refused) return differ("PATCH", words, "is not refused:", refused, JSON.stringify(plain(got.body)))
  try { assert.deepStrictEqual(plain(got.body), want) } catch (e) {
    differ("PATCH", words, "\n  service:", JSON.stringify(plain(got.body)), "\n  other:  ", JSON.stringify(want))
  }
}
for (const Operations of changes) await change("/Users", Schemas.User, person(), Operations)

// Groups.
const team = () => ({schemas: [Schemas.Group.definition.id], displayName: `team ${++count}`, members: [{value: a}, {value: b}]})
for (const Operations of [
  [{op: "add", path: "members", value: [{value: c}]}],
  [{op: "add", path: "members", value: [{value: b}, {value: c}]}],
  [{op: "add", value: {members: [{value: c}]}}],
  [{op: "remove", path: `members[value eq "${a}"]`}],
  [{op: "remove", path: "members"}],
  [{op: "replace", path: "members", value: [{value: c}]}],
  [{op: "replace", value: {displayName: "Another", members: [{value: c}]}}],
  [{op: "replace", path: "displayName", value: "A third"}],
  [{op: "remove", path: "displayName"}],
]) await change("/Groups", Schemas.Group, team(), Operations)

// Lists.
for (const [path, want] of [
  [`/Users?filter=userName eq "${first.userName.toUpperCase()}"`, 1],
  [`/Users?filter=externalId eq "${first.externalId}"`, 1],
  [`/Users?filter=emails[type eq "home" and value eq "home-${first.userName}"]`, 1],
  [`/Users?filter=userName eq "nobody"`, 0],
  ["/Users?startIndex=2&count=3", 3],
  ["/Users?count=0", 0],
  ["/Groups?filter=displayName eq \"Another\"", 1],
]) {
  const got = await list(path, encodeURI(path), path.startsWith("/Users") ? Schemas.User : Schemas.Group)
  if (got.length !== want) differ(path, "has", got.length, "resources, not", want)
}
const fewer = (await send("GET", `/Users/${made.id}?attributes=userName`)).body
if (fewer.userName !== first.userName || fewer.emails || !fewer.id) differ("attributes=userName", JSON.stringify(fewer))
const parts = (await send("GET", `/Users?filter=id eq "${made.id}"&attributes=NAME.givenName,${enterprise}:department`)).body.Resources?.[0]
try {
  assert.deepStrictEqual(plain(parts), {name: {givenName: "Ann"}, [enterprise]: {department: "Data"}})
} catch (e) { differ("attributes of attributes:", e.message) }
const others = (await send("GET", `/Users/${made.id}?excludedAttributes=emails.type,externalId,${enterprise}`)).body
if (others.emails[0].type || !others.emails[0].value || others.externalId || others[enterprise]) differ("excluded:", JSON.stringify(others))
const less = (await send("GET", `/Users/${made.id}?excludedAttributes=emails`)).body
if (less.emails || less.userName !== first.userName) differ("excludedAttributes=emails", JSON.stringify(less))

// A whole replacement is what was sent, and a person who is deleted is not found.
const whole = {...person(), displayName: "Whole"}
const put = await send("PUT", `/Users/${made.id}`, whole)
read("PUT", Schemas.User, put.body)
try { assert.deepStrictEqual(plain(put.body), plain(whole)) } catch (e) { differ("PUT differs:", e.message) }
const gone = await send("DELETE", `/Users/${made.id}`)
if (gone.status !== 204 || gone.body) differ("DELETE", gone.status, gone.body)
const none = await send("GET", `/Users/${made.id}`)
if (none.status !== 404 || none.body.status !== "404") differ("a deleted user:", none.status, JSON.stringify(none.body))
