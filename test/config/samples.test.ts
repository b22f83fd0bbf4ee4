import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';

const SAMPLES = fileURLToPath(new URL('../../docs/samples/', import.meta.url));
const names = readdirSync(SAMPLES);

test('there are samples', () => expect(names.length).toBeGreaterThan(1));

test.each(names)('%s is a valid configuration', (name) => {
  expect(loadConfig({ file: `${SAMPLES}${name}`, env: {} }).networks.length).toBeGreaterThan(0);
});
