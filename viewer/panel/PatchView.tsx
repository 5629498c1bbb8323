import type { CodeViewItem, DiffLineAnnotation } from '@pierre/diffs'
import { CodeView, type CodeViewHandle } from '@pierre/diffs/react'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { Layout } from './DiffPanel.js'
import { FileHeader } from './FileHeader.js'
import { fileDiffs } from './file-diffs.js'
import type { PatchFile, PatchLoading } from './patch-loading.js'
import { FILE_BYTES, WHOLE_FILE_BYTES } from './patch-query.js'
import { READABLE } from './readable-theme.js'

interface PatchViewProps {
  loading: PatchLoading
  files: readonly PatchFile[]
  openFile: { path: string } | null
  languages: ReadonlySet<string> | undefined
  layout: Layout
  colorScheme: 'light' | 'dark' | undefined
}

type Item = CodeViewItem<'cut'>

// As the stylesheet has it: where it is narrow, what is to be said of a file stands below its name. The view asks for the
// height and measures none.
const NARROW = '(max-width: 700px)'
const HEADER_HEIGHT = { wide: 36, narrow: 62 }
const LAYOUT = { paddingTop: 0, paddingBottom: 24, gap: 0 }

// Of a file that went the component draws nothing that stands with what came.
const CUT_NOTE: DiffLineAnnotation<'cut'>[] = [{ side: 'additions', lineNumber: 0, metadata: 'cut' }]
const CUT_NOTE_OF_DELETED: DiffLineAnnotation<'cut'>[] = [{ side: 'deletions', lineNumber: 0, metadata: 'cut' }]

/** The files below one another. Only what is in view is in the document, so that 5,000 files scroll like five. */
export default function PatchView({ loading, files, openFile, languages, layout, colorScheme }: PatchViewProps) {
  const view = useRef<CodeViewHandle<'cut', undefined>>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(new Set())
  const items = useItems(files, collapsed, languages)
  const width = useSyncExternalStore(onWidth, () => (window.matchMedia(NARROW).matches ? 'narrow' : 'wide'))

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    // A scroller that the tab key does not reach cannot be scrolled without a mouse.
    element.tabIndex = 0
    element.setAttribute('role', 'group')
    element.setAttribute('aria-label', 'Diff of the files')
  }, [width])

  const wanted = useRef<number | null>(null)
  useEffect(() => {
    loading.preferFrom(() => {
      const rendered = view.current?.getInstance()?.getRenderedItems()[0]
      return wanted.current ?? (rendered ? placeOf(rendered.id).index : 0)
    })
  }, [loading])

  const shownRequest = useRef<{ path: string } | null>(null)
  useEffect(() => {
    if (openFile === null || shownRequest.current === openFile) return
    const index = files.findIndex(({ file }) => file.path === openFile.path)
    if (index < 0) return
    shownRequest.current = openFile
    wanted.current = index
    // Who asks for a file wants to see it, also where it was folded before.
    setCollapsed((before) => (before.has(index) ? new Set([...before].filter((one) => one !== index)) : before))
    view.current?.scrollTo({ type: 'item', id: idOf(index, 0), align: 'start', behavior: 'instant' })
  }, [openFile, files])

  // What was asked for by name has come: from here on, what is on screen leads.
  useEffect(() => {
    if (wanted.current !== null && files[wanted.current]?.text !== null) wanted.current = null
  }, [files])

  const options = useMemo(
    () =>
      ({
        theme: READABLE,
        themeType: colorScheme ?? 'system',
        diffStyle: layout.split ? 'split' : 'unified',
        overflow: layout.wrap ? 'wrap' : 'scroll',
        diffIndicators: 'classic',
        hunkSeparators: 'metadata',
        preferredHighlighter: 'shiki-js',
        lineDiffType: 'word-alt',
        // Lines of code at most: `fileDiffs` decides by the length of the text.
        tokenizeMaxLength: Number.MAX_SAFE_INTEGER,
        stickyHeaders: true,
        // Otherwise a press is lost that falls while it scrolls, or shortly after: the view lets it through to what is behind.
        pointerEventsOnScroll: true,
        layout: LAYOUT,
        itemMetrics: { diffHeaderHeight: HEADER_HEIGHT[width], lineHeight: 20, spacing: 4 },
      }) as const,
    [layout, colorScheme, width],
  )

  const toggle = useCallback((index: number) => {
    setCollapsed((before) => {
      const next = new Set(before)
      if (!next.delete(index)) next.add(index)
      return next
    })
  }, [])
  // The button that asks is gone once the text is there: the focus goes to the text.
  const loadWhole = useCallback(
    (path: string) => {
      scroller.current?.focus({ preventScroll: true })
      void loading.loadWhole(path)
    },
    [loading],
  )
  const header = useCallback(
    (item: Item) => {
      const { index, part } = placeOf(item.id)
      const file = files[index]
      if (file === undefined) return null
      return (
        <FileHeader
          file={file}
          part={part}
          collapsed={collapsed.has(index)}
          onToggle={() => toggle(index)}
          onWhole={() => loadWhole(file.file.path)}
        />
      )
    },
    [files, collapsed, toggle, loadWhole],
  )
  const cutNote = useCallback(
    (item: Item) => {
      const file = files[placeOf(item.id).index]
      return file === undefined ? null : <CutNote file={file} onWhole={() => loadWhole(file.file.path)} />
    },
    [files, loadWhole],
  )

  return (
    <CodeView<'cut'>
      key={width}
      ref={view}
      containerRef={scroller}
      className="ta-patch"
      items={items}
      options={options}
      disableWorkerPool
      renderCustomHeader={header}
      renderAnnotation={(_annotation, _diff, item) => cutNote(item)}
    />
  )
}

function onWidth(listener: () => void) {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

const idOf = (index: number, part: number) => `${index}.${part}`

function placeOf(id: string) {
  const [index = '0', part = '0'] = id.split('.')
  return { index: Number(index), part: Number(part) }
}

interface Made {
  file: PatchFile
  collapsed: boolean
  items: Item[]
}

// An item is made again only when its file has changed; the view compares versions.
function useItems(files: readonly PatchFile[], collapsed: ReadonlySet<number>, languages?: ReadonlySet<string>) {
  const made = useRef<Made[]>([])
  const version = useRef(0)
  return useMemo(
    () =>
      files.flatMap((file, index) => {
        const before = made.current[index]
        const closed = collapsed.has(index)
        if (before?.file === file && before.collapsed === closed) return before.items
        version.current += 1
        const same = before?.file.text === file.text && before.file.file === file.file
        const diffs = same
          ? before.items.map((item) => (item.type === 'diff' ? item.fileDiff : undefined))
          : fileDiffs(file, languages)
        const items = diffs.flatMap((fileDiff, part): Item[] => {
          if (fileDiff === undefined) return []
          return [
            {
              id: idOf(index, part),
              type: 'diff',
              fileDiff,
              collapsed: closed,
              version: version.current,
              ...(file.cut &&
                fileDiff.hunks.length > 0 && {
                  annotations: fileDiff.type === 'deleted' ? CUT_NOTE_OF_DELETED : CUT_NOTE,
                }),
            },
          ]
        })
        made.current[index] = { file, collapsed: closed, items }
        return items
      }),
    [files, collapsed, languages],
  )
}

function CutNote({ file, onWhole }: { file: PatchFile; onWhole: () => void }) {
  const limit = file.whole === 'tried' ? WHOLE_FILE_BYTES : FILE_BYTES
  return (
    <div className="ta-cut">
      <span>Only the first {sizeWords(limit)} of this file's diff are shown.</span>{' '}
      {file.whole === 'failed' && <span role="alert">The rest could not be loaded.</span>}
      {file.whole === 'tried' ? (
        <span>The rest is more than this page shows.</span>
      ) : (
        <button type="button" className="ta-button" disabled={file.whole === 'loading'} onClick={onWhole}>
          {file.whole === 'loading' ? 'Loading the whole file…' : 'Load the whole file'}
        </button>
      )}
    </div>
  )
}

const sizeWords = (bytes: number) =>
  bytes >= 1024 * 1024 ? `${bytes / (1024 * 1024)} MB` : `${Math.round(bytes / 1024)} kB`
