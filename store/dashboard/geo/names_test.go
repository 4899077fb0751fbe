package geo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Values that occur in data, by publisher.
func TestFindCountries(t *testing.T) {
	t.Parallel()
	for code, texts := range map[string]string{
		"US": "US|us|USA|U.S.|U.S.A.|United States|united states of america|America|840|États-Unis|Vereinigte Staaten|アメリカ合衆国|美国|미국|🇺🇸|" +
			"The United States",
		"GB": "GB|UK|U.K.|GBR|826|Great Britain|United Kingdom|Royaume-Uni|United Kingdom of Great Britain and Northern Ireland",
		"DE": "DE|de|DEU|276|Germany|Deutschland|Allemagne|Alemania|ドイツ|德国|독일|ألمانيا|Federal Republic of Germany",
		"KR": "KR|KOR|410|South Korea|Korea|Korea, Rep.|Korea, Republic of|Republic of Korea|대한민국|Südkorea|Korea (Republic of)",
		"KP": "North Korea|Korea, Dem. People's Rep.|Democratic People's Republic of Korea|DPRK|PRK",
		"CZ": "CZ|Czechia|Czech Republic|Česko|Czech Rep.|Tschechien|Tschechische Republik",
		"CI": "CI|Ivory Coast|Côte d'Ivoire|Côte d’Ivoire|Cote d'Ivoire|COTE D'IVOIRE|Elfenbeinküste|Costa de Marfil|384",
		"TR": "Turkey|Türkiye|Turkiye|TUR|Turquie|Türkei|トルコ",
		"CD": "DRC|DR Congo|Congo, Dem. Rep.|Democratic Republic of the Congo|Congo - Kinshasa|COD|Dem. Rep. Congo|Zaire",
		"CG": "Congo|Congo, Rep.|Republic of the Congo|Congo - Brazzaville|COG",
		"MK": "Macedonia|North Macedonia|FYROM|The former Yugoslav Republic of Macedonia",
		"MM": "Burma|Myanmar|Myanmar (Burma)", "SZ": "Swaziland|Eswatini|eSwatini", "CV": "Cape Verde|Cabo Verde",
		"TL": "East Timor|Timor-Leste|Timor Leste", "LA": "Laos|Lao PDR", "VN": "Vietnam|Viet Nam|Việt Nam",
		"BS": "Bahamas|The Bahamas|Bahamas, The|BAHAMAS", "GM": "Gambia|The Gambia|Gambia, The",
		"NL": "Netherlands|The Netherlands|Holland|Nederland",
		"PS": "Palestine|West Bank and Gaza|PSE|State of Palestine", "TW": "Taiwan|Taiwan, Province of China|Chinese Taipei|台灣|台湾",
		"HK": "Hong Kong|Hong Kong SAR, China|HKG", "MO": "Macao|Macau|Macao SAR, China", "VA": "Vatican|Holy See|Vatican City",
		"RU": "Russia|Russian Federation|Россия|RUS", "IR": "Iran|Iran, Islamic Rep.|Iran (Islamic Republic of)|ایران",
		"SY": "Syria|Syrian Arab Republic", "MD": "Moldova|Moldova, Republic of|Republic of Moldova",
		"BO": "Bolivia|Bolivia (Plurinational State of)",
		"TZ": "Tanzania|Tanzania, United Republic of|United Republic of Tanzania", "VE": "Venezuela|Venezuela, RB",
		"KG": "Kyrgyzstan|Kyrgyz Republic",
		"SK": "Slovakia|Slovak Republic|Slovensko", "EG": "Egypt|Egypt, Arab Rep.|مصر", "YE": "Yemen|Yemen, Rep.",
		"FM": "Micronesia|Micronesia, Fed. Sts.",
		"KN": "St. Kitts and Nevis|Saint Kitts & Nevis|St Kitts and Nevis",
		"VC": "St. Vincent and the Grenadines|Saint Vincent and the Grenadines",
		"ST": "São Tomé and Príncipe|Sao Tome & Principe|São Tomé und Príncipe", "AX": "Åland Islands|Aland Islands|Åland",
		"CW": "Curaçao|Curacao",
		"BA": "Bosnia and Herzegovina|Bosnia & Herzegovina|Bosnia-Herzegovina|Bosnia and Herz.", "XK": "Kosovo|XK|XKX|Kosova",
		"GR": "Greece|EL|GR|Ελλάδα|Griechenland", "FR": "France|FRA|250|La France|Frankreich|Francia|🇫🇷", "IT": "Italy|Italia|イタリア",
		"RE": "Réunion|Reunion|La Réunion|RE|638", "GF": "French Guiana|Guyane française", "SG": "Singapore|新加坡|SGP", "MT": "Malta|MLT",
		"AD": "Andorra|AND|AD|020", "AF": "004|4|AFG|Afghanistan", "AL": "8|008|Albania|Shqipëri", "IN": "India|IN|in|भारत",
		"CN": "China|PRC|中国|China, People's Republic of",
		"IS": "Iceland|Ísland|Island", "AT": "Austria|Österreich|AUT", "JP": "Japan|日本|Japón", "ES": "Spain|España|Espana",
		"BR": "Brazil|Brasil|O Brasil", "PH": "Philippines|Pilipinas|the Philippines",
		"DO": "Dominican Republic|Dominican Rep.|República Dominicana",
		"DM": "Dominica", "NE": "Niger", "NG": "Nigeria", "GN": "Guinea", "GW": "Guinea-Bissau", "GQ": "Equatorial Guinea|Eq. Guinea",
		"WS": "Samoa",
		"AS": "American Samoa", "SD": "Sudan", "SS": "South Sudan|S. Sudan", "GE": "Georgia|საქართველო", "JO": "Jordan", "TD": "Chad|Tchad",
		"-ncyprus": "Northern Cyprus|N. Cyprus|TRNC", "-somaliland": "Somaliland", "SO": "Somalia|SOM", "CY": "Cyprus|Κύπρος|Zypern",
	} {
		for text := range strings.SplitSeq(texts, "|") {
			if i := Countries().Find(text); i < 0 || Countries().Areas[i].Code != code {
				got := "nothing"
				if i >= 0 {
					got = Countries().Areas[i].Code
				}
				t.Errorf("%s is %s, want %s", text, got, code)
			}
		}
	}
	for _, text := range []string{
		"", " ", "-", "World", "Africa", "European Union", "OECD members", "High income", "Unknown", "Other", "England", "Virgin Islands",
		"Atlantis", "0", "1", "999", "1840", "0276", "00276", "California", "the", "of", "()", ", ", strings.Repeat("Germany ", 40),
	} {
		if i := Countries().Find(text); i >= 0 {
			t.Errorf("%q is %s", text, Countries().Areas[i].Code)
		}
	}
}

func TestFindStates(t *testing.T) {
	t.Parallel()
	for code, texts := range map[string]string{
		"CA": "CA|ca|California|US-CA|06|6|CALIFORNIA", "GA": "Georgia|GA|13", "DC": "DC|D.C.|Washington, D.C.|District of Columbia|11",
		"WA": "Washington|Washington State|53", "NY": "New York|NY|N.Y.", "PR": "Puerto Rico|72|PR", "HI": "Hawaii|Hawai‘i|15",
		"AL": "01|1|Alabama",
	} {
		for text := range strings.SplitSeq(texts, "|") {
			if i := States().Find(text); i < 0 || States().Areas[i].Code != code {
				t.Errorf("%s is %d, want %s", text, i, code)
			}
		}
	}
	for _, text := range []string{"Germany", "3", "99", "006", "Ontario"} {
		if i := States().Find(text); i >= 0 {
			t.Errorf("%s is %s", text, States().Areas[i].Code)
		}
	}
	if n := len(States().Areas); n != 56 {
		t.Errorf("%d states and territories", n)
	}
}

// Every area answers to all its codes and names; those that another has, too, are the ones listed.
func TestEveryNameIsFound(t *testing.T) {
	t.Parallel()
	var lost []string
	for kind, g := range map[string]*Gazetteer{"country": Countries(), "state": States()} {
		for i, a := range g.Areas {
			texts := slices.Clone(a.Also)
			for _, lang := range languages {
				texts = append(texts, a.Names[lang])
			}
			texts = append(texts, a.ISO3, a.Numeric)
			if !strings.HasPrefix(a.Code, "-") {
				texts = append(texts, a.Code)
			}
			if kind == "country" {
				texts = append(texts, aliases[a.Code]...)
			}
			for _, text := range texts {
				if got := g.Find(text); text != "" && got != i {
					other := "nothing"
					if got >= 0 {
						other = g.Areas[got].Code
					}
					lost = append(lost, fmt.Sprintf("%s: %s is %s", a.Code, text, other))
				}
			}
		}
	}
	slices.Sort(lost)
	want := []string{"GB: R.-U. is RU", "GB: RU is RU"}
	if diff := cmp.Diff(want, slices.Compact(lost)); diff != "" {
		t.Errorf("names that others have (-want +got):\n%s", diff)
	}
	for code := range aliases {
		if !slices.ContainsFunc(Countries().Areas, func(a Area) bool { return a.Code == code }) {
			t.Errorf("aliases of %s, which is no country", code)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	g := Countries()
	germany := &g.Areas[g.Find("DE")]
	for lang, want := range map[string]string{
		"de": "Deutschland", "de-CH": "Deutschland", "ja-JP": "ドイツ", "sv": "Germany", "": "Germany",
		"en-GB": "Germany",
	} {
		if got := germany.Name(lang); got != want {
			t.Errorf("in %s: %s", lang, got)
		}
	}
	for text, want := range map[string]string{
		"Frnace": "France", "Germny": "Germany", "Untied States": "United States", "Swizerland": "Switzerland", "xyzzyx": "", "": "",
	} {
		if got := g.Nearest(text); got != want {
			t.Errorf("nearest of %s: %s", text, got)
		}
	}
	if got := States().Nearest("Californa"); got != "California" {
		t.Errorf("nearest of Californa: %s", got)
	}
	for i, a := range g.Areas {
		if i > 0 && g.Areas[i-1].Code >= a.Code {
			t.Errorf("%s is out of order", a.Code)
		}
		if !strings.HasPrefix(a.Code, "-") && len(a.Names) != len(languages) {
			t.Errorf("%s has names in %d languages", a.Code, len(a.Names))
		}
		if a.Of != "" && g.Find(a.Of) < 0 {
			t.Errorf("%s belongs to %s", a.Code, a.Of)
		}
	}
}
