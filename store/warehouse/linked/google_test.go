package linked_test

import (
	"archive/zip"
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"service/store/warehouse"
)

// A google gives tokens as "Using OAuth 2.0 for Server to Server Applications" has it, and exports one spreadsheet as files.export of the
// "Google Drive API v3" does. A request that they do not allow fails the test.
type google struct {
	testing.TB
	http    *httptest.Server
	key     *rsa.PrivateKey
	sheet   string
	refused bool
}

func newGoogle(t testing.TB, pem, sheet string) *google {
	key, ok := warehouse.ParseKey(pem)
	if !ok {
		t.Fatal("the key is not one")
	}
	g := &google{TB: t, key: key, sheet: sheet}
	g.http = httptest.NewTLSServer(g)
	t.Cleanup(g.http.Close)
	return g
}

func (g *google) target(place string) warehouse.Target {
	at := netip.MustParseAddrPort(g.http.Listener.Addr().String())
	return warehouse.Target{Host: at.Addr().String(), Port: int(at.Port()), TLS: warehouse.TLSRequire, Place: place}
}

func (g *google) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/token":
		g.token(w, r)
	case r.Method == http.MethodGet && r.URL.Path == "/drive/v3/files/"+g.sheet+"/export":
		const workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
		if r.Header.Get("Authorization") != "Bearer ya29.s3cret" || r.URL.Query().Get("mimeType") != workbook || len(r.URL.Query()) != 1 {
			g.Errorf("%s with %s", r.URL, r.Header.Get("Authorization"))
		}
		w.Write(book())
	default:
		g.Errorf("%s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusNotFound)
	}
}

func (g *google) token(w http.ResponseWriter, r *http.Request) {
	if g.refused {
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(`{"error": "invalid_grant", "error_description": "s3cret"}`))
		return
	}
	parts := strings.Split(r.PostFormValue("assertion"), ".")
	if len(parts) != 3 || r.PostFormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || len(r.PostForm) != 2 {
		g.Errorf("a token is asked for with %v", r.PostForm)
		return
	}
	var claims struct {
		Iss, Scope, Aud string
		Iat, Exp        int64
	}
	text, err1 := base64.RawURLEncoding.DecodeString(parts[1])
	signature, err2 := base64.RawURLEncoding.DecodeString(parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err1 != nil || err2 != nil || rsa.VerifyPKCS1v15(&g.key.PublicKey, crypto.SHA256, digest[:], signature) != nil ||
		json.Unmarshal(text, &claims) != nil || claims.Iss != "dashboards@acme.iam.gserviceaccount.com" ||
		claims.Scope != "https://www.googleapis.com/auth/drive.readonly" || claims.Aud != g.http.URL+"/token" ||
		claims.Exp != claims.Iat+3600 || time.Since(time.Unix(claims.Iat, 0)).Abs() > time.Minute {
		g.Errorf("the assertion has %s", text)
	}
	w.Write([]byte(`{"access_token": "ya29.s3cret", "expires_in": 3599, "token_type": "Bearer"}`))
}

// book returns a workbook with two columns.
func book() []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
			`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
			`<sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="r1" ` +
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml": `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` +
			`<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c><c r="B1" t="inlineStr"><is><t>amount</t></is></c></row>` +
			`<row r="2"><c r="A2" t="inlineStr"><is><t>x</t></is></c><c r="B2"><v>40</v></c></row>` +
			`<row r="3"><c r="A3" t="inlineStr"><is><t>y</t></is></c><c r="B3"><v>2</v></c></row></sheetData></worksheet>`,
	} {
		f, err := z.Create(name)
		if err != nil {
			panic(err)
		}
		f.Write([]byte(text))
	}
	z.Close()
	return b.Bytes()
}
