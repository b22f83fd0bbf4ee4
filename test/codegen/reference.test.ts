import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { html, prose } from '../../codegen/render/reference/html.ts';
import { METHODS } from '../../generated/ledger/methods.ts';
import { LANGUAGES, type SnippetCall, snippetOf } from '../../runtime/call-snippets.ts';
import { fixtureSources, generateFiles, pathHere } from './fixture.ts';

const read = (page: string): string => readFileSync(pathHere(`../../generated/reference/${page}`), 'utf8');
/** The text of a page as a reader sees it. */
const textOf = (page: string): string =>
  read(`pages/${page}.html`)
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code));

/** The headings of interface.md, section 4.1, each with the methods of its table. */
const groups = new Map(
  readFileSync(pathHere('../../docs/interface.md'), 'utf8')
    .split('### 4.2', 1)
    .flatMap((section) => section.split(/^\*\*(?=[A-Z])/m).slice(1))
    .map((part) => [
      part.slice(0, part.indexOf('**')),
      [...part.matchAll(/^\| ((?:get|is|minimum|request|send|simulate)\w+) \|/gm)].map(([, name]) => name),
    ]),
);

describe('the reference', () => {
  it('groups the given methods as interface.md does', () => {
    expect(groups.size).toBe(6);
    const shown = read('navigation/ledger.html')
      .split('<div class="navigation-section">')
      .slice(1)
      .map(
        (part) =>
          [
            /<p>([^<]*)</.exec(part)?.[1] ?? '',
            [...part.matchAll(/docs\/ledger\/([\w.]+)"/g)].map(([, name = '']) => name),
          ] as const,
      );
    expect(shown.slice(0, 6).map(([title]) => title)).toEqual([...groups.keys()]);
    for (const [title, names] of shown.slice(0, 6)) {
      const given = names.filter((name) => METHODS[name as keyof typeof METHODS].origin === 'given');
      expect([title, given]).toEqual([title, [...(groups.get(title) ?? [])].sort()]);
    }
  });

  it('says limits, defaults, weights and errors in words', () => {
    expect(textOf('ledger/getBlocks')).toContain('at most 500,000 above startSlot (slotRangeTooLarge)');
    expect(textOf('ledger/getSlotLeaders')).toContain('at most 5,000');
    expect(textOf('ledger/getBalance')).toContain('Default: "finalized"');
    expect(textOf('ledger/getBlock')).toContain(`Weight ${METHODS.getBlock.cost}.`);
    expect(textOf('ledger/requestAirdrop')).toContain('Refused on mainnet (airdropUnavailable).');
    expect(textOf('ledger/getBalance')).toContain(
      '-32016 minContextSlotNotReachedThe ledger has not reached minContextSlot at the requested commitment.',
    );
    expect(textOf('streams/slots')).toContain('uint64 = 1');
  });

  it('rounds no number of an example', () => {
    expect(textOf('ledger/accountSubscribe')).toContain('"rentEpoch": 18446744073709551615');
    expect(read('pages/ledger/getBalance.html')).toContain('9223372036854775807');
  });

  it('shows markup in the specification as text', () => {
    const evil = '<img src=x onerror=alert(1)> & "q" \'s\' `<b>code</b>`';
    const sources = new Map(fixtureSources());
    const path = 'ledger/methods/getThing.yaml';
    sources.set(path, { ...Object(sources.get(path)), summary: evil, description: evil });
    const files = generateFiles(sources);
    const pages = [
      files['reference/pages/ledger/getThing.html'],
      files['reference/pages/ledger.html'],
      files['reference/navigation/ledger.html'],
    ];
    for (const page of pages) {
      expect(page).toContain('&#60;img src=x onerror=alert(1)&#62; &#38; &#34;q&#34; &#39;s&#39;');
      expect(page).not.toMatch(/<img|<b>/);
    }
    expect(prose('a `<b>` c').markup).toBe('a <code>&#60;b&#62;</code> c');
    expect(html`<p title="${'"<'}">${[html`<i>${1}</i>`, '<']}${undefined}</p>`.markup).toBe(
      '<p title="&#34;&#60;"><i>1</i>&#60;</p>',
    );
  });
});

describe('a snippet', () => {
  const text = 'it\'s "quoted" `ticked` "#"## $' + '{x} \\n ü\n';
  const post: SnippetCall = {
    kind: 'operation',
    url: 'https://example.com/a',
    verb: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { text, whole: 2n ** 64n - 1n, none: null, yes: true },
  };

  it('quotes texts as the shell wants it, and keeps every digit', () => {
    const command = snippetOf('shell', post).replace(/^curl/, "printf '%s\\n'");
    const printed = execFileSync('sh', ['-c', command], { encoding: 'utf8' });
    const sent = printed.slice(printed.indexOf('{'));
    expect(JSON.parse(sent)).toMatchObject({ text, none: null, yes: true });
    expect(sent).toContain('"whole": 18446744073709551615');
  });

  it('quotes texts as JavaScript wants it', async () => {
    const bodies: unknown[] = [];
    const program = snippetOf('JavaScript', post)
      .replaceAll('await ', '')
      .replace(/console\.log.*/, '');
    new Function('fetch', program)((_: string, { body }: { readonly body: string }) => bodies.push(body));
    expect(JSON.parse(String(bodies[0]))).toMatchObject({ text, none: null, yes: true });
    expect(bodies[0]).toContain('18446744073709551615');
  });

  it('says in Rust and Go where a raw text ends', () => {
    expect(snippetOf('Rust', post)).toContain('.body(r###"');
    expect(snippetOf('Go', post)).toContain('strings.NewReader("{');
    const plain = { ...post, body: { text: 'plain' } };
    expect(snippetOf('Go', plain)).toContain('strings.NewReader(`{ "text": "plain" }`)');
    expect(snippetOf('Rust', plain)).toContain('.body(r#"{ "text": "plain" }"#)');
  });

  it('is there in every language for every kind of call', () => {
    const rpc = { url: 'https://h/p', apiKey: 'KEY', method: 'm', params: [1] } as const;
    const calls: readonly SnippetCall[] = [
      post,
      { kind: 'method', ...rpc },
      { kind: 'subscription', ...rpc },
      {
        kind: 'topic',
        url: 'http://h:1',
        protoUrl: 'https://h/s',
        topic: 't',
        metadata: { 'x-api-key': 'KEY' },
      },
    ];
    for (const call of calls)
      for (const language of LANGUAGES) {
        const snippet = snippetOf(language, call);
        expect([language, snippet]).not.toEqual([language, expect.stringMatching(/undefined|\[object/)]);
        if (call.kind !== 'operation') expect(snippet).toContain('KEY');
      }
  });
});
