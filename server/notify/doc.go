// Package notify sends messages: what alerts tell and the deliveries of dashboards, by mail
// and to the channels that the owners of a workspace allow.
//
// A message is a row that the store queued in the transaction of its cause:
//
//	queued ─► taken when it is due ─► claimed: may the recipient still get it? ─► composed ─► rendered ─► sent
//	                                     └─► over              receiver away ─► due again later, for a day
//	                                                           receiver says no ─► failed
//
// A process that dies while it sends leaves the message to another, which sends the message again
// with the same id. So a message arrives at least once, and its id tells a receiver that it has
// it already.
//
// A composed message is a [service/store/channel.Content], which does not depend on a channel. This package makes mails of it, and the
// kinds of package channel write it for their receivers. This package sends the result, through one guard against private addresses. Texts
// of people and of data are inert in all of them: no markup, no mentions, no links but ours. Addresses, URLs and answers
// of receivers are never logged.
package notify
