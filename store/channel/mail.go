package channel

// Mail is the kind of a channel of chosen members, at their verified addresses. The caller writes and sends its messages.
const Mail = "mail"

func mailKind() Kind { return Kind{ID: Mail, Name: "E-mail", ByMail: true} }
