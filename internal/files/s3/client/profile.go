// This file reads the files of the AWS tools: ~/.aws/credentials, ~/.aws/config.

package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gopkg.in/ini.v1"

	"github.com/foray-graph/foray/internal/files/s3"
)

// profile holds the settings of the two files under one name.
type profile struct {
	name                 string
	access, secret       string
	token                string
	process              string // a command that prints credentials
	region, endpoint     string
	bundle               string // a file of certificates
	unsupported          string // a key that requests credentials in an unsupported way
	filename, configname string
}

// findProfile reads the profile that is asked for. Files that are missing say
// nothing; a profile that was asked for by name has to be in one of them.
func findProfile(o *s3.Options, getenv func(string) string) (*profile, error) {
	asked := first(o.Profile, getenv("AWS_PROFILE"))
	p := &profile{name: first(asked, "default")}
	home := getenv("HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	p.filename, p.configname = getenv("AWS_SHARED_CREDENTIALS_FILE"), getenv("AWS_CONFIG_FILE")
	if home != "" {
		p.filename = first(p.filename, filepath.Join(home, ".aws", "credentials"))
		p.configname = first(p.configname, filepath.Join(home, ".aws", "config"))
	}
	section := "profile " + p.name
	if p.name == "default" {
		section = p.name
	}
	inCredentials, err := p.read(p.filename, p.name)
	if err != nil {
		return nil, err
	}
	inConfig, err := p.read(p.configname, section)
	if err != nil {
		return nil, err
	}
	if asked != "" && !inCredentials && !inConfig {
		return nil, fmt.Errorf("there is no profile %q in %s or %s: check AWS_PROFILE", asked, p.filename, p.configname)
	}
	return p, nil
}

// read takes the settings of a section that p doesn't have yet.
func (p *profile) read(filename, section string) (bool, error) {
	if filename == "" {
		return false, nil
	}
	text, err := os.ReadFile(filename)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	file, err := ini.LoadSources(ini.LoadOptions{AllowNestedValues: true, SkipUnrecognizableLines: true, SpaceBeforeInlineComment: true}, text)
	if err != nil {
		return false, fmt.Errorf("%s: %w", filename, err)
	}
	s, err := file.GetSection(section)
	if err != nil || section == "default" && len(s.Keys()) == 0 {
		return false, nil
	}
	if p.access == "" {
		p.access, p.secret, p.token = s.Key("aws_access_key_id").Value(), s.Key("aws_secret_access_key").Value(), s.Key("aws_session_token").Value()
	}
	p.process = first(p.process, s.Key("credential_process").Value())
	p.region = first(p.region, s.Key("region").Value())
	p.endpoint = first(p.endpoint, s.Key("endpoint_url").Value())
	p.bundle = first(p.bundle, s.Key("ca_bundle").Value())
	for _, key := range []string{"sso_session", "sso_start_url", "role_arn", "login_session"} {
		if p.unsupported == "" && s.HasKey(key) {
			p.unsupported = key
		}
	}
	return true, nil
}
