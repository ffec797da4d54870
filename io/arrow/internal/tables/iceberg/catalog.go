// This file asks a REST catalog for a table (the Iceberg REST catalog's API, as
// https://github.com/apache/iceberg/blob/main/open-api/rest-catalog-open-api.yaml has it):
// its metadata comes with the answer, and with it maybe credentials of the store that the
// table's files are in.

package iceberg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

const tokenVariable = "ICEBERG_TOKEN"

// catalog is a REST catalog, and a table in it.
type catalog struct {
	base      string // its address, up to where /v1 comes
	local     bool   // it is on this machine
	warehouse string
	namespace []string
	table     string
	token     string
	client    *http.Client
	budget    *tables.Budget
}

// parseCatalog takes a path apart.
func parseCatalog(path string) (*catalog, error) {
	fail := func(why string) (*catalog, error) {
		return nil, fmt.Errorf("%w: %s; write it as iceberg://HOST/NAMESPACE/TABLE", errPath, why)
	}
	u, err := url.Parse(path)
	switch {
	case err != nil:
		return fail("it is no address") // which the error would show, with what may be secret
	case u.User != nil:
		return fail("it has credentials; the token comes from the environment variable " + tokenVariable)
	case u.Host == "":
		return fail("it has no host")
	case u.Fragment != "":
		return fail("it has a #")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return fail("what follows the ? can't be read")
	}
	c := &catalog{warehouse: query.Get("warehouse"), local: loopback(u.Hostname()), token: strings.TrimSpace(os.Getenv(tokenVariable))}
	for name := range query {
		if name != "warehouse" {
			return fail(fmt.Sprintf("it has %.40q after the ?, where only warehouse may be", name))
		}
	}
	parts := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	if len(parts) < 2 {
		return fail("it lacks the namespace or the table")
	}
	for level := range strings.SplitSeq(parts[len(parts)-2], ".") {
		name, err := url.PathUnescape(level)
		if err != nil || name == "" {
			return fail("a level of its namespace is empty")
		}
		c.namespace = append(c.namespace, name)
	}
	if c.table, err = url.PathUnescape(parts[len(parts)-1]); err != nil || c.table == "" {
		return fail("the table's name is empty")
	}
	scheme := "https://"
	if c.local {
		scheme = "http://"
	}
	c.base = scheme + u.Host
	if before := strings.Join(parts[:len(parts)-2], "/"); before != "" {
		c.base += "/" + before
	}
	return c, nil
}

// errPath: a path of a catalog that can't be understood.
var errPath = errors.New("wrong path of a catalog")

// loopback reports whether a host is this machine, to which tokens may go unencrypted.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// loadTable is the answer to the request for a table.
type loadTable struct {
	Location string            `json:"metadata-location"`
	Metadata json.RawMessage   `json:"metadata"`
	Config   map[string]string `json:"config"`
	Storage  []struct {
		Prefix string            `json:"prefix"`
		Config map[string]string `json:"config"`
	} `json:"storage-credentials"`
}

// openCatalog reads a snapshot of a table of a catalog.
func openCatalog(ctx context.Context, files tables.FS, path string, at tables.At) (*tables.Snapshot, error) {
	c, err := parseCatalog(path)
	if err != nil {
		return nil, err
	}
	c.client, c.budget = newHTTPClient(), tables.BudgetOf(files)
	defer c.client.CloseIdleConnections()
	var config struct {
		Defaults  map[string]string `json:"defaults"`
		Overrides map[string]string `json:"overrides"`
	}
	query := ""
	if c.warehouse != "" {
		query = "?warehouse=" + url.QueryEscape(c.warehouse)
	}
	if err := c.get(ctx, "/v1/config"+query, &config); err != nil {
		return nil, err
	}
	prefix := config.Defaults["prefix"]
	if p, ok := config.Overrides["prefix"]; ok {
		prefix = p
	}
	if prefix, err = escapePrefix(prefix); err != nil {
		return nil, fmt.Errorf("the catalog %s: %w", c.base, err)
	}
	const levels = "\x1f" // what the API has between the levels of a namespace
	var answer loadTable
	err = c.get(ctx, "/v1"+prefix+"/namespaces/"+url.PathEscape(strings.Join(c.namespace, levels))+"/tables/"+url.PathEscape(c.table), &answer)
	if err != nil {
		return nil, err
	}
	if len(answer.Metadata) == 0 {
		return nil, columnar.Corrupt("the catalog's answer has no metadata")
	}
	m, err := parseMetadata(answer.Metadata, c.budget)
	if err != nil {
		return nil, fmt.Errorf("the catalog's answer: %w", err)
	}
	t := &table{meta: m, places: newPlaces(m.Location, ""), files: files, name: strings.Join(append(c.namespace, c.table), ".")}
	t.places.store = t.places.store || !c.local // a catalog elsewhere has no say in files of this machine
	if k, ok := answer.key(m.Location); ok {
		if v, can := files.(tables.Keyed); can {
			t.files = v.With(k)
		}
	}
	snap, err := t.read(at)
	if err == nil {
		snap.FS = t.files
	}
	return snap, err
}

// escapePrefix makes a part of an address of the prefix that a catalog wants between its address and
// what is asked for: names with slashes between, in which escapes stay what they are. Nothing in it leads
// elsewhere, or ends the path.
func escapePrefix(prefix string) (string, error) {
	const plain = "-._~!$&'()*+,;=:@" // besides letters and digits, as RFC 3986 has names
	var b strings.Builder
	for name := range strings.SplitSeq(strings.Trim(prefix, "/"), "/") {
		if name == "" {
			continue
		}
		if is, err := url.PathUnescape(name); err == nil && (is == "." || is == "..") {
			return "", columnar.Unsupported("its prefix %.100q leads elsewhere", prefix)
		}
		b.WriteByte('/')
		for i := range len(name) {
			c := name[i]
			switch {
			case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(plain, c) >= 0,
				c == '%' && i+2 < len(name) && hexDigit(name[i+1]) && hexDigit(name[i+2]):
				b.WriteByte(c)
			default:
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
	}
	return b.String(), nil
}

func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// key returns the credentials that the catalog gives for the files of a location: those
// of the longest prefix, else those of the table's configuration.
func (l *loadTable) key(location string) (tables.Key, bool) {
	config, longest := l.Config, -1
	for _, s := range l.Storage {
		if strings.HasPrefix(plain(location), plain(s.Prefix)) && len(s.Prefix) > longest {
			config, longest = s.Config, len(s.Prefix)
		}
	}
	k := tables.Key{AccessKey: config["s3.access-key-id"], SecretKey: config["s3.secret-access-key"], SessionToken: config["s3.session-token"],
		Endpoint: config["s3.endpoint"], Region: config["client.region"]}
	for _, from := range []map[string]string{config, l.Config} { // credentials may leave out where the store is
		for _, name := range []string{"s3.region", "client.region", "region"} {
			if k.Region == "" {
				k.Region = from[name]
			}
		}
		if k.Endpoint == "" {
			k.Endpoint = from["s3.endpoint"]
		}
	}
	return k, k.AccessKey != "" && k.SecretKey != ""
}

// errRedirect: an answer sends us to where the token isn't for.
var errRedirect = errors.New("it leads to another host")

// newHTTPClient returns a client that follows redirects within the catalog alone, so
// that the token stays there.
func newHTTPClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = catalogTimeout
	return &http.Client{Transport: transport, Timeout: 10 * catalogTimeout, CheckRedirect: func(to *http.Request, via []*http.Request) error {
		if from := via[0].URL; to.URL.Scheme != from.Scheme || to.URL.Host != from.Host || len(via) >= 10 {
			return errRedirect
		}
		return nil
	}}
}

// get asks the catalog, several times if it is busy.
func (c *catalog) get(ctx context.Context, path string, into any) error {
	for attempt := 1; ; attempt++ {
		again, err := c.ask(ctx, path, into)
		if err == nil {
			return nil
		}
		if !again || attempt >= catalogAttempts {
			return fmt.Errorf("the catalog %s: %w", c.base, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(catalogPause << (attempt - 1)):
		}
	}
}

// ask sends a request. again says that another attempt may succeed.
func (c *catalog) ask(ctx context.Context, path string, into any) (again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return false, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("X-Iceberg-Access-Delegation", "vended-credentials")
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.client.Do(request)
	if err != nil {
		if stop := ctx.Err(); stop != nil {
			return false, stop
		}
		return !errors.Is(err, errRedirect), err
	}
	defer response.Body.Close()
	body := io.Reader(response.Body)
	if response.StatusCode != http.StatusOK { // of which a few words are shown
		body = io.LimitReader(body, maxRefusal)
	}
	b, err := c.budget.ReadAll(body)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, limit.Err):
		return false, err
	case response.StatusCode != http.StatusOK:
		return c.refused(response, b)
	case err != nil:
		return true, err
	}
	if err := c.budget.CheckJSON(b); err != nil {
		return false, err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return false, columnar.Corrupt("its answer: %w", text.Plainly(err))
	}
	return false, nil
}

// refused makes an error of an answer.
func (c *catalog) refused(response *http.Response, b []byte) (again bool, err error) {
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	hide := func(text string) string { // the token, which the answer may repeat
		if c.token == "" {
			return text
		}
		return strings.ReplaceAll(text, c.token, "***")
	}
	said := fmt.Sprintf("%.100s", hide(response.Status))
	if json.Unmarshal(b, &answer) == nil && answer.Error.Message != "" {
		said = fmt.Sprintf("%s, %.300q", said, hide(answer.Error.Message))
	}
	table := fmt.Sprintf("the table %.100q in the namespace %.100q", c.table, strings.Join(c.namespace, "."))
	switch code := response.StatusCode; {
	case code == http.StatusUnauthorized && c.token == "":
		return false, fmt.Errorf("%w: it asks for a token: set %s (%s)", fs.ErrPermission, tokenVariable, said)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return false, fmt.Errorf("%w: it doesn't let the token of %s read %s (%s)", fs.ErrPermission, tokenVariable, table, said)
	case code == http.StatusNotFound:
		return false, fmt.Errorf("%w: it has not %s, or its address has other names before /v1 (%s)", fs.ErrNotExist, table, said)
	case code == http.StatusTooManyRequests || code >= 500 && code != http.StatusNotImplemented:
		return true, errors.New(said)
	}
	return false, errors.New(said)
}
