// This file finds credentials. It queries services by minio-go's provider, but
// doesn't use its chain of providers: that hides their errors, doesn't end with a
// context, and without credentials queries the metadata service
// before each request.

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/foray-graph/foray/internal/files/s3"
)

// anonymous is a request without a signature.
var anonymous = credentials.Value{SignerType: credentials.SignatureAnonymous}

// keys are credentials that a Client has. As minio-go's provider they are
// answered from memory; fresh gets them, beforehand.
type keys struct {
	o        *s3.Options
	p        *profile
	getenv   func(string) string
	metadata time.Duration // see settings

	mu      sync.Mutex
	value   credentials.Value
	have    bool
	expires time.Time // zero for never
	live    bool      // they come from a source that may renew them
	why     string    // why there are none, in words
}

func newKeys(o *s3.Options, c *config, s *settings) *keys {
	return &keys{o: o, p: c.profile, getenv: s.getenv, metadata: s.metadata}
}

// fresh makes sure that there are credentials that haven't expired. One
// goroutine at a time calls it.
func (k *keys) fresh(ctx context.Context) error {
	k.mu.Lock()
	ok := k.have && (k.expires.IsZero() || time.Now().Before(k.expires))
	k.mu.Unlock()
	if ok {
		return nil
	}
	v, live, err := k.find(ctx)
	if err != nil {
		return err
	}
	why := ""
	if v.SignerType == credentials.SignatureAnonymous {
		why = k.none(live)
	} else {
		v.SignerType = credentials.SignatureV4
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.why = why
	k.value, k.have, k.expires, k.live = v, true, time.Time{}, live
	if !v.Expiration.IsZero() {
		// Renew early, so that no request is under way with old ones; but
		// not at once again if the new ones are about to expire.
		left := time.Until(v.Expiration)
		k.expires = time.Now().Add(max(left*4/5, time.Second))
	}
	return nil
}

// none explains why requests are anonymous, and what can be done about it. looked means
// that credentials were searched for.
func (k *keys) none(looked bool) string {
	switch {
	case !looked && k.o.Anonymous:
		return "it was asked without credentials, as S3Options.Anonymous says: leave that out where it isn't for everybody"
	case !looked:
		return "it was asked without credentials, as " + anonymousName + " says: unset that where it isn't for everybody"
	}
	return fmt.Sprintf("no credentials were found: not in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), "+
		"not under %q in %s or %s, and no role of a container or instance: set one of them (%s=true is for what everybody may, and looks for none)",
		k.p.name, first(k.p.filename, "~/.aws/credentials"), first(k.p.configname, "~/.aws/config"), anonymousName)
}

// anonymousName is the environment variable that turns credentials off,
// as in GDAL.
const anonymousName = "AWS_NO_SIGN_REQUEST"

// says reports whether the value of an environment variable means yes.
func says(value string) bool {
	switch strings.ToLower(value) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

// explain puts into the error of a request that was refused that it was anonymous.
func (k *keys) explain(e *s3.Error) {
	if e.Kind != s3.ErrDenied || e.Code == "RequestTimeTooSkewed" || e.Code == "InvalidObjectState" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.why != "" {
		e.Err, e.Remedy, e.Anonymous = nil, k.why, true
	}
}

// expire has the next fresh look again. It reports whether that may help.
func (k *keys) expire() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.have = k.have && !k.live
	return k.live
}

// find returns credentials, and whether they are such that change.
func (k *keys) find(ctx context.Context) (v credentials.Value, live bool, err error) {
	access, secret := first(k.getenv("AWS_ACCESS_KEY_ID"), k.getenv("AWS_ACCESS_KEY")), first(k.getenv("AWS_SECRET_ACCESS_KEY"), k.getenv("AWS_SECRET_KEY"))
	switch {
	case k.o.Anonymous || says(k.getenv(anonymousName)) && k.o.AccessKey == "" && k.o.SecretKey == "" && k.o.Profile == "":
		return anonymous, false, nil
	case k.o.AccessKey != "" || k.o.SecretKey != "":
		v, err = pair(k.o.AccessKey, k.o.SecretKey, k.o.SessionToken, "Options")
	case k.o.Profile == "" && (access != "" || secret != ""):
		v, err = pair(access, secret, k.getenv("AWS_SESSION_TOKEN"), "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case k.p.access != "" || k.p.secret != "":
		v, err = pair(k.p.access, k.p.secret, k.p.token, "profile "+k.p.name+" in "+k.p.filename)
	case k.p.process != "":
		live = true
		v, err = k.process(ctx)
	case k.p.unsupported != "":
		err = fmt.Errorf("profile %q has %s, which isn't known here: run aws configure export-credentials --profile %s --format env, and set what it prints", k.p.name, k.p.unsupported, k.p.name)
	default:
		live = true
		v, err = k.service(ctx)
	}
	return v, live, err
}

func pair(access, secret, token, from string) (credentials.Value, error) {
	if access == "" || secret == "" {
		return anonymous, fmt.Errorf("of an access key and its secret there is only one (%s): set both", from)
	}
	return credentials.Value{AccessKeyID: access, SecretAccessKey: secret, SessionToken: token}, nil
}

// process runs the profile's credential_process.
func (k *keys) process(ctx context.Context) (credentials.Value, error) {
	args := strings.Fields(k.p.process)
	ctx, cancel := context.WithTimeout(ctx, credentialsTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var answer struct {
		AccessKeyID     string `json:"AccessKeyId"`
		SecretAccessKey string
		SessionToken    string
		Expiration      time.Time
	}
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil {
		return anonymous, fmt.Errorf("credential_process of profile %q: %w: run it by hand to see why", k.p.name, err)
	}
	v, err := pair(answer.AccessKeyID, answer.SecretAccessKey, answer.SessionToken, "credential_process of profile "+k.p.name)
	v.Expiration = answer.Expiration
	return v, err
}

// service queries the service that the environment names for the credentials of a
// role, or the instance's service. Without such a service it returns none.
func (k *keys) service(ctx context.Context) (credentials.Value, error) {
	named := ""
	for _, name := range []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		if named == "" && k.getenv(name) != "" {
			named = name
		}
	}
	timeout := credentialsTimeout
	iam := &credentials.IAM{Region: first(k.o.Region, k.p.region)}
	if named == "" {
		if strings.EqualFold(k.getenv("AWS_EC2_METADATA_DISABLED"), "true") {
			return anonymous, nil
		}
		timeout = k.metadata
		iam.Endpoint = strings.TrimRight(k.getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT"), "/")
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	base := newTransport(1)
	base.DisableKeepAlives = true
	if named == "" {
		base.Proxy = nil // the address means this host
	}
	v, err := iam.RetrieveWithCredContext(&credentials.CredContext{Client: &http.Client{Transport: bound{ctx, base}}})
	switch {
	case err == nil && v.AccessKeyID != "":
		return v, nil
	case named != "":
		return anonymous, fmt.Errorf("%s is set, but gives no credentials: %v", named, err)
	}
	return anonymous, nil
}

// bound ends requests with a context, which minio-go's providers don't take.
type bound struct {
	ctx  context.Context
	base http.RoundTripper
}

func (b bound) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(b.ctx, cancel)
	resp, err := b.base.RoundTrip(req.WithContext(ctx))
	if err != nil {
		stop()
		cancel()
		return nil, err
	}
	// The bodies are short, and b.ctx ends soon after.
	return resp, nil
}

// errNoKeys can't happen: do calls fresh before each request.
var errNoKeys = errors.New("no credentials yet")

// RetrieveWithCredContext answers minio-go from memory.
func (k *keys) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.value == (credentials.Value{}) {
		return credentials.Value{}, errNoKeys
	}
	return k.value, nil
}

// Retrieve is RetrieveWithCredContext.
func (k *keys) Retrieve() (credentials.Value, error) { return k.RetrieveWithCredContext(nil) }

// IsExpired makes minio-go ask each time, which costs nothing.
func (k *keys) IsExpired() bool { return true }
