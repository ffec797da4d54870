//go:build man

// This file holds the man command, which only builds with the tag man have: tools/release runs it. The pages
// need a Markdown library that the command doesn't link otherwise.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func addMan(root *cobra.Command) {
	var version, date string
	cmd := &cobra.Command{Use: "man DIR", Short: "Write man pages", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			day, err := time.Parse(time.DateOnly, date)
			if err != nil {
				return err
			}
			root.DisableAutoGenTag = true
			if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &day, Source: "Foray " + version, Manual: "Foray"}, args[0]); err != nil {
				return err
			}
			if _, err := os.Stat(filepath.Join(args[0], "foray.1")); err != nil {
				return fmt.Errorf("no page was written: %w", err)
			}
			return nil
		}}
	cmd.Flags().StringVar(&version, "version-of", "", "the version that pages name")
	cmd.Flags().StringVar(&date, "date", "", "the day that pages name")
	root.AddCommand(cmd)
}
