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
// A composed message is a [service/store/channel.Content], which does not depend on a channel. This package makes mails of it, and the
// kinds of package channel write it for their receivers. This package sends the result, through one guard against private addresses. Texts
// of people and of data are inert in all of them: no markup, no mentions, no links except ours. Addresses, URLs and answers of receivers
// are never logged.
package notify
