package notify

import (
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"service/store"
	"service/store/dashboard/locale"
)

// A person who was added gets a mail with the link, in the inviter's language. Neither the link nor the address is logged, and a mail that
// is not accepted has a reason.
func TestInvite(t *testing.T) {
	t.Parallel()
	office := openPostOffice(t, false)
	b := setup(t, office.mailer(t), false)
	in := store.Invitation{Workspace: "acme", Name: "Acme <1>", Role: store.RoleViewer, Email: "new@work.example", By: "ada@example.com"}
	const link = "https://app.service.example/invitations?token=SECRET"
	if reason, err := b.Invite(t.Context(), locale.For("en"), in, link, true); reason != "" || err != nil {
		t.Fatal(reason, err)
	}
	in.Role = store.RoleEditor
	if reason, err := b.Invite(t.Context(), locale.For("de"), in, "https://app.service.example/w/acme/", false); reason != "" || err != nil {
		t.Fatal(reason, err)
	}
	got := office.letters()
	if len(got) != 2 || !got[0].secure || got[0].to != "new@work.example" {
		t.Fatalf("%+v", got)
	}
	for i, want := range [][]string{
		{
			"You are added to Acme <1>", "ada@example.com has added you to the workspace Acme <1>.", "Viewers open every dashboard of the workspace",
			"The link works once, for 7 days.", "Join Acme <1>:\n" + link, "You get this because ada@example.com typed your address.",
		},
		{"Sie wurden zu Acme <1> hinzugefügt", "Bearbeiter öffnen jedes Dashboard", "https://app.service.example/w/acme/"},
	} {
		h, p := parts(t, got[i].data)
		if subject, _ := h.Text("Subject"); subject != want[0] || h.Get("Auto-Submitted") != "auto-generated" {
			t.Errorf("subject %q, headers %v", subject, h.Map())
		}
		for _, text := range want {
			if !strings.Contains(p["text/plain"], text) {
				t.Errorf("the text lacks %q:\n%s", text, p["text/plain"])
			}
		}
		if strings.Contains(p["text/html"], "<1>") || !strings.Contains(p["text/html"], "Acme &lt;1&gt;") {
			t.Errorf("the name is not escaped:\n%s", p["text/html"])
		}
	}
	office.say = func(string) error { return &smtp.SMTPError{Code: 550, Message: "no such user new@work.example"} }
	reason, err := b.Invite(t.Context(), locale.For("en"), in, link, true)
	if reason != "The mail server refuses the recipient's address (550)." || err != nil {
		t.Errorf("%q, %v", reason, err)
	}
	told := b.log.String()
	if strings.Contains(told, "SECRET") || strings.Contains(told, "new@work") || !strings.Contains(told, "invitation") {
		t.Errorf("the log has the link or the address, or nothing: %s", told)
	}
	without := setup(t, nil, false)
	reason, err = without.Invite(t.Context(), locale.For("en"), in, link, true)
	if !strings.Contains(reason, "not set up to send mail") || err != nil {
		t.Errorf("%q, %v", reason, err)
	}
}
