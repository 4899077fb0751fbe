package archive

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		dsn  string
		want []string
	}{
		{
			"postgres://ann:p%40ss%2Fw@db.example.com:5433/sales?sslmode=verify-full&pool_max_conns=8&statement_timeout=5s&sslrootcert=/ca.pem",
			[]string{
				"PGDATABASE=sales", "PGHOST=db.example.com", "PGPASSWORD=p@ss/w", "PGPORT=5433", "PGSSLMODE=verify-full",
				"PGSSLROOTCERT=/ca.pem", "PGUSER=ann",
			},
		},
		{
			"postgresql://a,b:5433/d?target_session_attrs=read-write",
			[]string{"PGDATABASE=d", "PGHOST=a,b", "PGPORT=,5433", "PGTARGETSESSIONATTRS=read-write"},
		},
		{"postgres://u@[2001:db8::1]:5432/d", []string{"PGDATABASE=d", "PGHOST=2001:db8::1", "PGPORT=5432", "PGUSER=u"}},
		{
			"postgres:///postgres?host=/run/pg&user=postgres&sslmode=disable",
			[]string{"PGDATABASE=postgres", "PGHOST=/run/pg", "PGSSLMODE=disable", "PGUSER=postgres"},
		},
		{
			`host=db user = ann password='it\'s \\ here' dbname=d pool_max_conns=3`,
			[]string{"PGDATABASE=d", "PGHOST=db", `PGPASSWORD=it's \ here`, "PGUSER=ann"},
		},
		{`host=db password=a\ b`, []string{"PGHOST=db", "PGPASSWORD=a b"}},
	} {
		got, err := environment(tc.dsn, []string{"SERVICE_SECRET_KEY=x", "DATABASE_URL=y", "PATH=/bin", "HOME=/h", "PGHOST=else", "PGAPPNAME=z"})
		if err != nil {
			t.Errorf("%s: %v", tc.dsn, err)
			continue
		}
		want := append([]string{"HOME=/h", "LC_ALL=C", "PATH=/bin", "PGAPPNAME=z", "TZ=UTC"}, tc.want...)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.dsn, diff)
		}
	}
	for _, dsn := range []string{"nonsense", "host='db", "postgres://u:s3cret@h:x/d%", "host=db sslpassword=s3cret"} {
		if _, err := environment(dsn, nil); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
}
