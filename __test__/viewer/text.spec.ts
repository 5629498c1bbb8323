// What is made of names, addresses, markup and colours.

import { describe, expect, it } from 'vitest'
import { turnsDirection, visible, visibleParts } from '../../viewer/names/visible.js'
import { inertMarkup } from '../../viewer/page/inert-markup.js'
import { hashOf, readPlace } from '../../viewer/page/place.js'
import { readable } from '../../viewer/panel/readable-color.js'

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
