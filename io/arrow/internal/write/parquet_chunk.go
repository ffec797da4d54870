// This file holds how a column of a row group ends: its last page, and the
// chunk that all of them are in the file.

package write

import "github.com/foray-graph/foray/io/arrow/internal/parquet/metadata"

// flush ends the page and lets it be compressed.
func (p *parquetColumn) flush() {
	if p.page.rows == 0 {
		return
	}
	if d := &p.dict; d.state == dictTrial && len(p.page.indices) > 0 {
		if d.helps(len(p.page.indices), len(p.page.values)) {
			d.state, d.used = dictOn, true
			p.page.values = p.page.values[:0]
		} else {
			d.state = dictOff
			p.page.indices = p.page.indices[:0]
		}
	}
	p.page.indexed = p.dict.state == dictOn
	p.page.width = bitWidth(p.dict.n)
	p.stats.nulls += int64(p.page.nulls)
	p.page.field = p.field
	p.pool.compress(p.page)
	p.pages = append(p.pages, p.page)
	p.page = p.pool.get()
	p.whole = 0
}

// finish ends the column chunk: no more rows come.
func (p *parquetColumn) finish() {
	p.flush()
	if p.dict.used {
		p.dictPage = p.pool.get()
		p.dictPage.values = append(p.dictPage.values, p.dict.plain...)
		p.pool.compress(p.dictPage)
	}
}

// write writes the column chunk, once its pages are compressed.
func (p *parquetColumn) write(w *countingWriter) (chunk metadata.Chunk, err error) {
	begin := w.Tell()
	put := func(header []byte, page *parquetPage) error {
		if page.err != nil {
			return page.err
		}
		if _, err := w.Write(header); err != nil {
			return err
		}
		if _, err := w.Write(page.data); err != nil {
			return err
		}
		chunk.Size += int64(len(header) + page.size)
		p.pool.put(page)
		return nil
	}
	if p.dict.used {
		page := p.dictPage
		<-page.done
		chunk.Dictionary = begin
		if err := put(metadata.DictionaryHeader(page.size, len(page.data), p.dict.n), page); err != nil {
			return chunk, err
		}
		p.dictPage = nil
	}
	chunk.DataPage = w.Tell()
	for _, page := range p.pages {
		<-page.done
		encoding := metadata.Plain
		if page.indexed {
			encoding = metadata.RLEDictionary
			chunk.IndexPages++
		} else {
			chunk.PlainPages++
		}
		chunk.Values += int64(page.entries)
		if err := put(metadata.DataHeader(page.size, len(page.data), page.entries, encoding), page); err != nil {
			return chunk, err
		}
	}
	p.pages = p.pages[:0]
	chunk.Compressed = w.Tell() - begin
	chunk.Stats = p.stats.encode(p.field)
	p.stats.reset()
	p.dict.begin(p.field)
	return chunk, nil
}
