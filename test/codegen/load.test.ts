import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Area, createArea } from '../../codegen/area.ts';
import { generate } from '../../codegen/generate.ts';
import { loadSources } from '../../codegen/load.ts';
import { parseYaml } from '../../codegen/yaml.ts';

/** An area of documents that are no YAML: one line per message, in a language of its own. */
const streamArea: Area = createArea({
  name: 'stream',
  reads: [
    {
      path: 'stream/*.proto',
      parse: (text) => {
        if (!text.startsWith('message ')) throw new SyntaxError('a message was expected at line 1');
        return { message: text.slice('message '.length).trim() };
      },
    },
  ],
  lint: () => [],
  model: (sources) => [...sources].filter(([file]) => file.startsWith('stream/')),
  renderers: [(documents) => ({ 'stream.txt': JSON.stringify(documents) })],
});

const yamlArea: Area = createArea({
  name: 'yaml',
  reads: [
    { path: 'one.yaml', parse: parseYaml },
    { path: 'many/*.yaml', parse: parseYaml },
  ],
  lint: () => [],
  model: (sources) => sources,
  renderers: [],
});

let folder = '';
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const load = () => loadSources(folder, [streamArea, yamlArea]);
const messages = () => load().problems.map(({ file, message }) => `${file}: ${message}`);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'load-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('documents', () => {
  it('are read as their area has it, into one pipeline', () => {
    write('one.yaml', 'a: 18446744073709551615\nb: 5\n');
    write('stream/slot.proto', 'message Slot');
    const { sources, problems } = load();
    expect(problems).toEqual([]);
    expect(sources.get('one.yaml')).toEqual({ a: 2n ** 64n - 1n, b: 5 });
    expect(generate(sources, [streamArea, yamlArea])).toEqual({
      files: { 'stream.txt': '[["stream/slot.proto",{"message":"Slot"}]]' },
    });
  });

  it('that do not parse are told with their place', () => {
    write('stream/slot.proto', 'mesage Slot');
    write('one.yaml', 'a: 1\na: 2\n');
    write('many/tab.yaml', 'a:\n\tb: 1\n');
    write('many/open.yaml', 'a: [1\n');
    write('many/tag.yaml', 'a: !new 1\n');
    expect(messages()).toEqual([
      expect.stringMatching(/^many\/open\.yaml: .* at line 2, column 1$/),
      expect.stringMatching(/^many\/tab\.yaml: Tabs are not allowed .* at line 2/),
      expect.stringMatching(/^many\/tag\.yaml: Unresolved tag/),
      expect.stringMatching(/^one\.yaml: Map keys must be unique at line 2/),
      'stream/slot.proto: a message was expected at line 1',
    ]);
  });

  it('that nothing reads are told, with what is read', () => {
    write('many/name.yml', 'a: 1\n');
    write('mny/name.yaml', 'a: 1\n');
    write('many/deeper/name.yaml', 'a: 1\n');
    write('many/.yaml', 'a: 1\n');
    expect(messages()).toEqual([
      'many/deeper/name.yaml: nothing reads this file; read are: many/*.yaml, one.yaml, stream/*.proto',
      expect.stringMatching(/^many\/name\.yml: nothing reads this file/),
      expect.stringMatching(/^mny\/name\.yaml: nothing reads this file/),
    ]);
  });

  it('for people, and hidden files, are passed over', () => {
    write('README.md', 'text');
    write('.editor', 'text');
    expect(load()).toEqual({ sources: new Map(), problems: [] });
  });
});
