import { readFile, readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';

const FOLDER = new URL('../../dist/dashboard/', import.meta.url);
const LIMIT_BYTES = 130_000;

type Chunk = {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
};

type Manifest = Readonly<Record<string, Chunk>>;

const readManifest = async (): Promise<Manifest> =>
  JSON.parse(await readFile(new URL('manifest.json', FOLDER), 'utf8'));

/** The files that entries need, with all that they import at once. */
function filesOf(manifest: Manifest, entries: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>();
  const visit = (name: string): void => {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`nothing was built of ${name}`);
    if (files.has(chunk.file)) return;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const entry of entries) visit(entry);
  return files;
}

async function sizeOf(files: ReadonlySet<string>): Promise<number> {
  const packed = await Promise.all([...files].map((file) => readFile(new URL(`${file}.gz`, FOLDER))));
  return packed.reduce((sum, { length }) => sum + length, 0);
}

test.each(['session/sign-in-page.tsx', 'pages/overview/overview-page.tsx'])(
  `the first load of %s is at most ${LIMIT_BYTES} bytes of scripts and style sheets, compressed`,
  async (page) => {
    const files = filesOf(await readManifest(), ['index.html', page]);
    expect(files.size).toBeGreaterThan(2);
    const size = await sizeOf(files);
    console.log(`${page}: ${size} bytes in ${files.size} files`);
    expect(size).toBeLessThanOrEqual(LIMIT_BYTES);
  },
);

test('the first load has no dialog, chart, ledger or wallet client in it', async () => {
  const manifest = await readManifest();
  const first = filesOf(manifest, [
    'index.html',
    'session/sign-in-page.tsx',
    'pages/overview/overview-page.tsx',
  ]);
  const texts = await Promise.all([...first].map((file) => readFile(new URL(file, FOLDER), 'utf8')));
  // Digests in the names of other files may spell anything.
  const own = texts.map((text) => text.replaceAll(/-[\w-]{8}\.(?:js|css)/g, ''));
  const marks = ['getLatestBlockhash', 'X-Two-Factor-Code', 'zod', 'u-legend', 'dismissableLayer'];
  expect(marks.filter((mark) => own.some((text) => text.includes(mark)))).toEqual([]);
});

test('nothing names a source map or another host', async () => {
  const names = (await readdir(new URL('assets/', FOLDER))).filter((name) => /\.(js|css)$/.test(name));
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    const text = await readFile(new URL(`assets/${name}`, FOLDER), 'utf8');
    expect([name, text.includes('sourceMappingURL'), /(@import|url\()\s*["']?https?:/.test(text)]).toEqual([
      name,
      false,
      false,
    ]);
  }
});
