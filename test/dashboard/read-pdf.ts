import { inflateSync } from 'node:zlib';

/** A page of a PDF that Chromium has printed. */
export type PdfPage = {
  /** Its texts in the order in which they are drawn, with one space between them. */
  readonly text: string;
  /** Size of the paper, in points. */
  readonly size: readonly [width: number, height: number];
  /** The colours that it is drawn in: red, green and blue from 0 to 1, as they are written. */
  readonly colors: readonly string[];
};

type Objects = ReadonlyMap<string, string>;

/** Reads the pages of a PDF of Skia, the library that Chromium prints with: one object after the other, and no compressed tables. */
export function readPdf(bytes: Buffer): readonly PdfPage[] {
  const objects: Objects = new Map(
    [...bytes.toString('latin1').matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(
      ([, id = '', body = '']) => [id, body],
    ),
  );
  return [...objects.values()]
    .filter((body) => /\/Type \/Page\n/.test(body))
    .map((page) => {
      const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(page) ?? [];
      const content = streamOf(objects, /\/Contents (\d+) 0 R/.exec(page)?.[1]);
      const colors = [...content.matchAll(/([\d.]+ [\d.]+ [\d.]+) rg/g)].map(([, color = '']) => color);
      return {
        text: textOf(content, fontsOf(objects, page)),
        size: [Number(width), Number(height)],
        colors: [...new Set(colors)],
      };
    });
}

/** The characters of the glyphs of each font of a page. */
function fontsOf(objects: Objects, page: string): ReadonlyMap<string, ReadonlyMap<number, string>> {
  const used = [...page.matchAll(/\/(F\d+) (\d+) 0 R/g)];
  return new Map(
    used.map(([, name = '', id = '']) => {
      const table = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? '')?.[1];
      return [name, charactersOf(streamOf(objects, table))];
    }),
  );
}

function charactersOf(table: string): ReadonlyMap<number, string> {
  const characters = new Map<number, string>();
  const ranges = table.matchAll(/^<(\w{4})> (?:<(\w{4})> )?<(\w{4})>$/gm);
  for (const [, first = '', last = first, character = ''] of ranges)
    for (let glyph = Number.parseInt(first, 16); glyph <= Number.parseInt(last, 16); glyph += 1)
      characters.set(
        glyph,
        String.fromCharCode(Number.parseInt(character, 16) + glyph - Number.parseInt(first, 16)),
      );
  return characters;
}

function textOf(content: string, fonts: ReturnType<typeof fontsOf>): string {
  const runs = [...content.matchAll(/BT\n\/(F\d+) [\s\S]*?ET/g)].map(([run, font = '']) => {
    const glyphs = [...run.matchAll(/<([\dA-F]+)> Tj/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
    return glyphs.map((glyph) => fonts.get(font)?.get(Number.parseInt(glyph, 16)) ?? '').join('');
  });
  return runs.join(' ').replaceAll(/\s+/g, ' ').trim();
}

function streamOf(objects: Objects, id = ''): string {
  const [, data = ''] = /stream\n([\s\S]*)\nendstream$/.exec(objects.get(id) ?? '') ?? [];
  return inflateSync(Buffer.from(data, 'latin1')).toString('latin1');
}
