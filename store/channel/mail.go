package channel

// Mail goes to members who were chosen, at their verified addresses. The caller writes and sends it.
const Mail = "mail"

func mailKind() Kind { return Kind{ID: Mail, Name: "E-mail", ByMail: true} }
