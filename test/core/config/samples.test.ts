import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/core/config/load-config.ts';
import { CERT, KEY } from '../../server/self-signed.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const SAMPLES = fileURLToPath(new URL('../../../docs/samples/', import.meta.url));
const names = readdirSync(SAMPLES);
const directory = useNewDirectory();

test('there are samples', () => expect(names.length).toBeGreaterThan(1));

test.each(names)('%s is a valid configuration', (name) => {
  const file = join(directory(), name);
  writeFileSync(file, readFileSync(join(SAMPLES, name), 'utf8').replaceAll('/etc/keyslot/tls', directory()));
  writeFileSync(join(directory(), 'fullchain.pem'), CERT);
  writeFileSync(join(directory(), 'privkey.pem'), KEY);
  expect(loadConfig({ file, env: {} }).networks.length).toBeGreaterThan(0);
});
