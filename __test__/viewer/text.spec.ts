// What is made of names, addresses, markup and colours.

import { describe, expect, it } from 'vitest'
import { turnsDirection, unseenIn, visible, visibleParts } from '../../viewer/names/visible.js'
import { inertMarkup } from '../../viewer/page/inert-markup.js'
import { hashOf, readPlace } from '../../viewer/page/place.js'
import { readable } from '../../viewer/panel/readable-color.js'
import { traitsOf } from '../../viewer/panel/text-traits.js'

describe('names', () => {
  it('writes out what cannot be seen, and leaves every other character', () => {
    expect(visible('a\nb\tc\rd\x00e\x7ff\x85')).toBe('a\\nb\\tc\\rd\\x00e\\x7ff\\x85')
    expect(visible('x\u202egpj.exe \u2066a\u2069 \u200b\u200f\ufeff\u2028')).toBe(
      'x\\u{202e}gpj.exe \\u{2066}a\\u{2069} \\u{200b}\\u{200f}\\u{feff}\\u{2028}',
    )
    expect(visible('\u{e0041}\ud800')).toBe('\\u{e0041}\\u{d800}')
    for (const name of ['src/app.ts', '\u05d0\u05d1.ts', '日本語.txt', 'é e\u0301', '👍', '<b>&amp;'])
      expect(visible(name)).toBe(name)
  })

  it('tells what stands for a character from what is one', () => {
    expect(visibleParts('\\n\n')).toEqual([
      { text: '\\n', escaped: false },
      { text: '\\n', escaped: true },
    ])
    expect(visibleParts('')).toEqual([])
  })

  it('knows text that reads otherwise than it runs', () => {
    expect(turnsDirection('/* \u202e } */')).toBe(true)
    expect(turnsDirection('\u05d0\u05d1 שלום')).toBe(false)
  })
})

describe('lines of a patch', () => {
  const patch = (...lines: string[]) => `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n${lines.join('\n')}\n`

  it('are known from the header alone', () => {
    expect(traitsOf('diff --git a/x b/x\nsimilarity index 100%\nrename from a\u2028@@ b\n', false).hasLines).toBe(false)
    expect(traitsOf(patch('+a'), false)).toEqual({ hasLines: true, turned: false, unseen: false, lineEnds: null })
    expect(traitsOf(patch('+a\u202eb'), false).turned).toBe(true)
  })

  it('hold characters that no browser draws, or only those of ordinary text', () => {
    for (const odd of ['a\0b', 'a\x1b[2K', 'a\rb', 'a\u200bb', 'a\u2028b', 'a\x85', 'a\u{e0041}', 'a\ufeffb', '\xad'])
      expect([odd, unseenIn(patch(`+${odd}`))]).toEqual([odd, true])
    for (const fine of ['a\tb', 'a\r', '\ufeff#include', 'نمی\u200cخواهم', '👩\u200d🚀', '日本', '\u05d0\u05d1'])
      expect([fine, unseenIn(patch(`+${fine}`))]).toEqual([fine, false])
  })

  it('end differently where nothing else can be seen to differ', () => {
    const ends = (...lines: string[]) => traitsOf(patch(...lines), false).lineEnds
    expect(ends('-a', '-b', '+a\r', '+b\r')).toBe('line ends LF → CRLF')
    expect(ends('-a\r', '-', '-b\r', '+a', '+', '+b')).toBe('line ends differ')
    expect(ends('-a\r', '-\r', '+a', '+')).toBe('line ends CRLF → LF')
    expect(ends('-a\r', '-b', '+a', '+b\r')).toBe('line ends differ')
    expect(ends('-a', '+b')).toBe(null)
    expect(ends('-a\r', '+b\r')).toBe(null)
    expect(ends('+a\r', '+b')).toBe(null)
    // A last line without an end.
    expect(ends('-a\r', '-b', '\\ No newline at end of file', '+a\r', '+c', '\\ No newline at end of file')).toBe(null)
    expect(traitsOf(patch('-a\r', 'diff --git a/x b/x', '@@ -0,0 +1 @@', '+a'), true).lineEnds).toBe(null)
  })
})

describe('address', () => {
  it('is read as it was written, whatever the thread is called', () => {
    const place = { thread: 't3code:a b&turn=9#<x>/ü', turn: 12, wholeThread: true, gitChanges: true }
    expect(readPlace(hashOf(place))).toEqual(place)
    expect(hashOf({ thread: 'mark:one', turn: 1 })).toBe('#thread=mark%3Aone&turn=1')
    expect(readPlace('')).toEqual({ thread: null, turn: null, wholeThread: false, gitChanges: false })
    expect(readPlace('#turn=1e3&git=yes&range=all')).toMatchObject({
      turn: null,
      wholeThread: false,
      gitChanges: false,
    })
  })
})

describe('markup', () => {
  it('is taken where it does nothing', () => {
    for (const markup of [
      '',
      'text &lt;script&gt;',
      '<div data-line="1"><span style="color:red">a</span></div>',
      '<svg><use href="#icon"></use></svg>',
    ])
      expect(inertMarkup(markup)).toBe(markup)
  })

  it('is refused where it could', () => {
    for (const markup of [
      '<img src=x onerror=alert(1)>',
      '<SCRIPT>alert(1)</SCRIPT>',
      '<span><iframe srcdoc=x></span>',
      '<a href="javascript:alert(1)">x</a>',
      '<style>*{}</style>',
      '<template shadowrootmode=open>',
      '<spanner>',
      '<!--',
      '<math><mtext></mtext></math>',
    ])
      expect(() => inertMarkup(markup)).toThrow(TypeError)
  })
})

describe('colours of code', () => {
  it('are made dark or light enough, and no more than it takes', () => {
    expect(readable('#000000', 'light')).toBe('#000000')
    expect(readable('#ffffff', 'dark')).toBe('#ffffff')
    expect(readable('#d5901c', 'light')).toMatch(/^#[0-8]/)
    expect(readable('#636363', 'dark')).toMatch(/^#[a-f]/)
    expect(readable('var(--x)', 'dark')).toBe('var(--x)')
  })
})
