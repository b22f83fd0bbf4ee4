import { createRequire } from 'node:module';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeAll, expect, test } from 'vitest';
import { readServedDocuments, type ServedDocuments } from './served-documents.ts';

/** A linter's finding at a place in a document. */
type Finding = { readonly rule: string; readonly steps: readonly string[]; readonly text: string };
/** A finding that stays, and why. */
type Known = { readonly reason: string; readonly is: (finding: Finding) => boolean };

// Both are CommonJS.
type Spectral = {
  readonly setRuleset: (ruleset: object) => void;
  readonly run: (
    document: object,
  ) => Promise<readonly { code: string | number; path: readonly (string | number)[]; message: string }[]>;
};
const load = createRequire(import.meta.url);
const { Spectral } = load('@stoplight/spectral-core') as { Spectral: new () => Spectral };
const { oas } = load('@stoplight/spectral-rulesets') as { oas: object };

/** Examples of a large document are held against their schemas one by one. */
const TIME_MS = 240_000;

let served: ServedDocuments;
beforeAll(async () => {
  served = await readServedDocuments();
});

async function findingsOfRedocly(name: keyof ServedDocuments): Promise<readonly Finding[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const found = await lintFromString({ source: served[name], absoluteRef: `${name}.json`, config });
  return found.map(({ ruleId, location, message }) => ({
    rule: ruleId,
    steps: (location[0]?.pointer ?? '').split('/').slice(1).map(unescapeStep),
    text: message,
  }));
}

async function findingsOfSpectral(name: keyof ServedDocuments): Promise<readonly Finding[]> {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'recommended']] });
  const found = await spectral.run(JSON.parse(served[name]) as object);
  return found.map(({ code, path, message }) => ({
    rule: String(code),
    steps: path.map(String),
    text: message,
  }));
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Nothing is found that has no reason, and no reason is there for nothing. */
function expectOnly(findings: readonly Finding[], known: readonly Known[]): void {
  expect(findings.filter((finding) => !known.some(({ is }) => is(finding)))).toEqual([]);
  expect(known.filter(({ is }) => !findings.some(is)).map(({ reason }) => reason)).toEqual([]);
}

test(
  'the wallet document has nothing that redocly recommends against',
  async () => {
    expectOnly(await findingsOfRedocly('wallets'), []);
  },
  TIME_MS,
);

test(
  'the wallet document has nothing that spectral recommends against',
  async () => {
    expectOnly(await findingsOfSpectral('wallets'), []);
  },
  TIME_MS,
);

test(
  'the OpenRPC document has nothing that redocly recommends against',
  async () => {
    const notified = ['GapNotice', 'NotificationContext'];
    expectOnly(await findingsOfRedocly('openrpc'), [
      {
        reason: 'Notifications use them, which OpenRPC has no word for: they stand in members of our own.',
        is: ({ rule, steps }) => rule === 'no-unused-components' && notified.includes(steps.at(-1) ?? ''),
      },
    ]);
  },
  TIME_MS,
);
