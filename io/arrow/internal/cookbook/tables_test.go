// This file holds the rows of the cookbook's tables in testdata/cookbook.

package cookbook

import (
	"fmt"
	"math/rand/v2"
	"time"

	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
)

// A table has rows of values in the order of its columns.
type table struct {
	columns []craft.Column
	rows    [][]any
}

// columns returns columns of names and types, all of which may be null.
func columns(namesAndTypes ...string) []craft.Column {
	var all []craft.Column
	for i := 0; i < len(namesAndTypes); i += 2 {
		all = append(all, craft.Column{ID: i/2 + 1, Name: namesAndTypes[i], Type: namesAndTypes[i+1]})
	}
	return all
}

func (t *table) add(values ...any) { t.rows = append(t.rows, values) }

// crafted returns rows as package crafticeberg has them.
func (t *table) crafted() []craft.Row {
	var all []craft.Row
	for _, values := range t.rows {
		row := craft.Row{}
		for i, v := range values {
			if n, ok := v.(int); ok {
				v = int64(n)
			}
			row[i+1] = v
		}
		all = append(all, row)
	}
	return all
}

// date returns the days since 1970 of a day of 2026.
func date(month, day int) int64 {
	return time.Date(2026, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix() / 86400
}

func random() *rand.Rand { return rand.New(rand.NewPCG(2026, 11)) }

// ring is the planted ring: accounts and the day in March on which each pays the next.
var ring = []struct {
	payer, payee string
	amount       float64
	day          int
}{{"acc-104", "acc-117", 9800, 3}, {"acc-117", "acc-109", 9650, 4}, {"acc-109", "acc-121", 9500, 6}, {"acc-121", "acc-104", 9400, 7}}

// payments are of customers 100 to 123, who pay shops 200 to 205. Three things look like the ring in March: a ring
// of February, a circle of small amounts, and large payments that don't return.
func payments() *table {
	t := &table{columns: columns("payment", "long", "payer", "string", "payee", "string", "amount", "double", "day", "date")}
	r, number := random(), 5000
	add := func(payer, payee string, amount float64, day int64) {
		number++
		t.add(number, payer, payee, amount, day)
	}
	account := func(n int) string { return fmt.Sprintf("acc-%d", n) }
	for i := range 60 {
		day := date(2, 1) + int64(i)
		add(account(100+r.IntN(24)), account(200+r.IntN(6)), float64(10+r.IntN(190)), day)
		switch {
		case i%5 == 2:
			add(account(100+r.IntN(24)), account(200+r.IntN(6)), float64(5000+r.IntN(4000)), day)
		case i == 12: // a ring, but before March
			add("acc-102", "acc-113", 8000, day)
			add("acc-113", "acc-102", 7900, day)
		case i == 33: // friends who share a dinner
			add("acc-106", "acc-111", 40, day)
			add("acc-111", "acc-115", 40, day)
			add("acc-115", "acc-106", 40, day)
		}
		for _, p := range ring {
			if date(3, p.day) == day {
				add(p.payer, p.payee, p.amount, day)
			}
		}
	}
	return t
}

// purchases are of customers with three tastes, who sometimes buy something else.
func purchases() *table {
	tastes := [][]string{
		{"espresso cups", "coffee grinder", "milk frother", "coffee beans", "kettle"},
		{"bike pump", "inner tube", "chain oil", "bike lights", "saddle bag"},
		{"seed trays", "pruning shears", "watering can", "garden gloves", "compost bin"},
	}
	t := &table{columns: columns("customer", "long", "product", "string", "day", "int")}
	r := random()
	for customer := range 15 {
		taste := tastes[customer%3]
		for _, i := range r.Perm(5)[:3+r.IntN(2)] {
			t.add(1001+customer, taste[i], 1+r.IntN(90))
		}
		if customer%4 == 0 {
			t.add(1001+customer, tastes[(customer+1)%3][r.IntN(5)], 1+r.IntN(90))
		}
	}
	return t
}

var names = []string{"Amira Haddad", "Ben Okafor", "Clara Weiss", "Dmitri Volkov", "Elena Rossi", "Farid Aziz", "Grace Kim", "Hugo Martin",
	"Ines Duarte", "Jonas Berg", "Kira Novak", "Leo Tanaka", "Maya Singh", "Nils Holm", "Olga Petrova", "Pablo Ruiz",
	"Quinn Walsh", "Rosa Lind", "Samir Nasser", "Tess Moreau"}

func people() *table {
	t := &table{columns: columns("id", "long", "name", "string")}
	for i, name := range names {
		t.add(i+1, name)
	}
	return t
}

// friendships are a chain of circles of four friends.
func friendships() *table {
	t := &table{columns: columns("person", "long", "friend", "long")}
	for first := 1; first < len(names); first += 4 {
		for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}} {
			t.add(first+pair[0], first+pair[1])
		}
		if first > 1 {
			t.add(first-2, first)
		}
	}
	return t
}

// follows are three days of new follows.
func follows() [3]*table {
	handles := []string{"ana", "bo", "cem", "dora", "eli", "fay", "gus", "hana", "ivo", "jun", "kay", "lou"}
	r, seen := random(), map[[2]string]bool{}
	var days [3]*table
	for day, rows := range []int{24, 10, 10} {
		t := &table{columns: columns("follower", "string", "followed", "string")}
		for len(t.rows) < rows {
			from, to := handles[r.IntN(len(handles))], handles[min(r.IntN(len(handles)), r.IntN(len(handles)))]
			if day > 0 && len(t.rows)%3 == 0 {
				to = "hana" // who is new, and suddenly well known
			}
			if from != to && !seen[[2]string{from, to}] && (day > 0 || from != "hana" && to != "hana") {
				seen[[2]string{from, to}] = true
				t.add(from, to)
			}
		}
		days[day] = t
	}
	return days
}

// lineage has a row for each table that a job reads and the table that it writes.
func lineage() *table {
	t := &table{columns: columns("upstream", "string", "downstream", "string", "job", "string")}
	for _, row := range [][3]string{
		{"raw.orders", "stg.orders", "load_orders"}, {"raw.customers", "stg.customers", "load_customers"},
		{"raw.clicks", "stg.clicks", "load_clicks"}, {"raw.rates", "stg.rates", "load_rates"},
		{"stg.orders", "core.orders", "build_orders"}, {"stg.rates", "core.orders", "build_orders"},
		{"stg.customers", "core.customers", "build_customers"}, {"stg.clicks", "core.sessions", "build_sessions"},
		{"core.orders", "mart.revenue", "revenue_daily"}, {"core.customers", "mart.revenue", "revenue_daily"},
		{"core.customers", "mart.churn", "churn_weekly"}, {"core.sessions", "mart.churn", "churn_weekly"},
		{"core.sessions", "mart.funnel", "funnel_daily"}, {"core.orders", "mart.funnel", "funnel_daily"},
		{"mart.revenue", "dash.finance", "publish"}, {"mart.funnel", "dash.product", "publish"}, {"mart.churn", "dash.retention", "publish"},
		{"stg.rates", "export.partner", "partner_feed"},
	} {
		t.add(row[0], row[1], row[2])
	}
	return t
}

// retired is the row of lineage that a later snapshot deletes.
const retired = 17

func owners() *table {
	t := &table{columns: columns("name", "string", "owner", "string")}
	for _, row := range [][2]string{
		{"raw.orders", "ingest"}, {"raw.customers", "ingest"}, {"raw.clicks", "ingest"}, {"raw.rates", "ingest"},
		{"stg.orders", "platform"}, {"stg.customers", "platform"}, {"stg.clicks", "platform"}, {"stg.rates", "platform"},
		{"core.orders", "commerce"}, {"core.customers", "crm"}, {"core.sessions", "web"},
		{"mart.revenue", "finance"}, {"mart.churn", "crm"}, {"mart.funnel", "web"},
		{"dash.finance", "finance"}, {"dash.product", "web"}, {"dash.retention", "crm"},
	} {
		t.add(row[0], row[1])
	}
	return t
}

// deliveries go from farms to shops. day is the day of the year of shipped.
func deliveries() *table {
	t := &table{columns: columns("from", "string", "to", "string", "day", "int", "shipped", "date")}
	for _, row := range []struct {
		from, to string
		day      int
	}{
		{"Hill Farm", "North Dairy", 61}, {"Hill Farm", "North Dairy", 68}, {"Hill Farm", "North Dairy", 75},
		{"Lake Farm", "North Dairy", 62}, {"Lake Farm", "South Dairy", 70},
		{"North Dairy", "Cheese Works", 63}, {"North Dairy", "Cheese Works", 71}, {"North Dairy", "Depot East", 66}, {"South Dairy", "Depot West", 72},
		{"Cheese Works", "Depot West", 65}, {"Cheese Works", "Depot East", 74},
		{"Depot East", "Corner Shop", 67}, {"Depot East", "Market Hall", 76}, {"Depot West", "Station Kiosk", 69}, {"Depot West", "School Canteen", 73},
		{"Cheese Works", "Hotel Royal", 78}, {"Hotel Royal", "School Canteen", 70},
	} {
		t.add(row.from, row.to, row.day, date(1, row.day))
	}
	return t
}

// customers are records of 8 persons, from several systems.
func customers() *table {
	t := &table{columns: columns("record", "long", "name", "string", "email", "string", "phone", "string", "born", "int")}
	for i, row := range [][]any{
		{"Jane Doe", "jane@example.com", "555-0101", 1984},
		{"J. Doe", "jane@example.com", nil, 1984},
		{"Jane Smith-Doe", nil, "555-0101", 1984},
		{"Robert Lee", "rob@example.com", "555-0102", 1990},
		{"Bob Lee", "bob.lee@example.com", "555-0102", 1990},
		{"Robert Lee", "bob.lee@example.com", "555-0103", 1990},
		{"Min Lee", "min@example.com", "555-0102", 2012}, // a child with the phone of the family
		{"Anna Kowalski", "anna@example.com", "555-0104", 1971},
		{"A. Kowalska", nil, "555-0104", 1971},
		{"Peter Schulz", "peter@example.com", "555-0105", 1965},
		{"Sara Ali", "sara@example.com", nil, 1999},
		{"Sara Ali", nil, "555-0106", 1999},
		{"S. Ali", "sara@example.com", "555-0106", 1999},
		{"Tom Brand", nil, nil, 1958},
	} {
		t.add(append([]any{i + 1}, row...)...)
	}
	return t
}
