package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/store/chain"
)

// Archived is an archive that the log has on record.
type Archived struct {
	broker.LogArchivedData

	At      time.Time `json:"at"`                // when it was made
	Missing bool      `json:"missing,omitempty"` // it is not where it was written
	Problem string    `json:"problem,omitempty"` // what is wrong with it; "" when all is well or it was not looked at
}

// Archives lists the archives on record, oldest first, as the log says: it looks neither
// at the files nor at whether the log is as it was written.
func (s *queries) Archives(ctx context.Context) ([]Archived, error) {
	found, err := list(ctx, s, func(row scanner) (a Archived, err error) {
		var at int64
		var data string
		if err := row.Scan(&at, &data); err != nil {
			return a, err
		}
		a.At = chain.Time(at)
		return a, json.Unmarshal([]byte(data), &a.LogArchivedData)
	}, sqlArchives)
	if err != nil {
		return nil, fmt.Errorf("list the archives: %w", err)
	}
	return found, nil
}

// sqlArchives names all types of fact, so that their index is used.
var sqlArchives = `SELECT at_ms, data FROM events WHERE ` + ofFactType + ` AND type = '` + broker.EventLogArchived + `' ORDER BY seq`

// VerifyArchives is Archives, and verifies each file: it is the one on record, and it
// begins where the one before it ends. A file that is missing is no problem of its own:
// what it held is still covered by the log's hashes.
func (r *Reader) VerifyArchives(ctx context.Context) ([]Archived, error) {
	list, err := r.Archives(ctx)
	if err != nil {
		return nil, err
	}
	hash := fmt.Sprintf("%x", chain.Hash{})
	for i := range list {
		a := &list[i]
		a.Problem, err = verifyArchive(ctx, findArchive(r.path, a.File), a, hash)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			a.Missing = true
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			a.Problem = err.Error()
		}
		hash = a.Hash
	}
	return list, nil
}

// verifyArchive reports what is wrong with the archive at path; before is the hash of
// the event before its first one.
func verifyArchive(ctx context.Context, path string, a *Archived, before string) (string, error) {
	digest, err := fileDigest(path)
	if err != nil {
		return "", err
	}
	if digest != a.Digest {
		return "it is not the file that was written", nil
	}
	r, err := OpenReadOnly(ctx, path)
	if err != nil {
		return "", err
	}
	report, err := r.Verify(ctx)
	switch {
	case err != nil:
		return "", err
	case !report.Clean():
		return report.Problems[0].String(), nil
	case report.BaseHash != before || report.Base != a.From-1 || report.HeadSeq != a.To || report.HeadHash != a.Hash:
		return fmt.Sprintf("it has events %d to %d of another log", report.Base+1, report.HeadSeq), nil
	}
	return "", nil
}
