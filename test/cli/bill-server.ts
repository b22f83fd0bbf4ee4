import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The answer to a request in place of the regular one. */
export type Refusal =
  | { readonly status: number; readonly retryAfter?: number; readonly code?: string }
  /** The connection breaks. */
  | 'cut';

/** A server with one invoice and its records; the first of them is record 5. */
export type BillServer = {
  readonly url: string;
  /** Paths that were asked for, without `/account/v1`. */
  readonly asked: string[];
  /** Answers the next request whose path has this text so; several in their order. */
  readonly refuse: (path: string, refusal: Refusal) => void;
  readonly sign: () => void;
};

const FIRST = 5;
const INVOICE = { number: 'INV-000001', account_id: 'a', month: '2026-01', from_seq: FIRST, due_usd: '1.00' };

/**
 * Starts one, which is stopped when the test ends. Heads are signed at each thousandth record, and at the last one unless `isSigned` is false. The
 * records of `notes` credit notes follow that of the invoice, which has a head of its own then.
 */
export async function startBillServer(records: number, isSigned = true, notes = 0): Promise<BillServer> {
  const asked: string[] = [];
  const refusals: { readonly path: string; readonly refusal: Refusal }[] = [];
  const last = FIRST + records - 1;
  let isLastSigned = isSigned;
  const answer = (url: URL): object => {
    const from = Number(url.searchParams.get('from_seq'));
    const limit = Number(url.searchParams.get('limit'));
    if (url.pathname.endsWith('/INV-000001'))
      return { invoice: INVOICE, credit_notes: Array.from({ length: notes }, (_, index) => noteOf(index)) };
    const isChain = url.pathname.endsWith('/chain');
    const issued = last - notes;
    const all = isChain ? chain(last, issued) : heads(last, issued, isLastSigned);
    const rest = all.filter(({ seq }) => seq >= from);
    const next = rest[limit];
    const page = rest.slice(0, limit);
    return {
      ...(isChain ? { records: page } : { heads: page }),
      ...(next !== undefined && { next_seq: next.seq }),
    };
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://server');
    asked.push(`${url.pathname.replace('/account/v1', '')}${url.search}`);
    const at = refusals.findIndex(({ path }) => request.url?.includes(path));
    const [found] = at === -1 ? [] : refusals.splice(at, 1);
    if (found === undefined)
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(url)));
    return refuse(response, found.refusal);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    refuse: (path, refusal) => void refusals.push({ path, refusal }),
    sign: () => {
      isLastSigned = true;
    },
  };
}

function noteOf(index: number) {
  return { number: `CN-00000${index + 1}`, invoice_number: 'INV-000001', amount_usd: '0.10' };
}

function chain(last: number, issued: number) {
  return Array.from({ length: last - FIRST + 1 }, (_, index) => {
    const seq = FIRST + index;
    const note = {
      action: 'credit_note.issue',
      subject: noteOf(seq - issued - 1).number,
      charges: [{ operation: 'credit_note', month: '2026-01', units: 0, amount_usd: '-0.10' }],
    };
    const invoice = { action: 'invoice.issue', subject: 'INV-000001' };
    const what = seq > issued ? note : seq === issued ? invoice : { action: 'sign' };
    return { seq, at: new Date(1_767_225_600_000 + seq * 1_000).toISOString(), ...what };
  });
}

function heads(last: number, issued: number, isLastSigned: boolean) {
  const seqs = Array.from({ length: Math.floor(last / 1_000) }, (_, index) => (index + 1) * 1_000);
  const signed = seqs.filter((seq) => seq >= FIRST && seq !== last);
  const ofInvoice = issued < last ? [issued] : [];
  return [...signed, ...ofInvoice, ...(isLastSigned ? [last] : [])].map((seq) => ({ seq, hash: 'h' }));
}

function refuse(response: ServerResponse, refusal: Refusal): unknown {
  if (refusal === 'cut')
    return response.writeHead(200, { 'content-length': 1_000 }).write('{', () => response.destroy());
  const { status, retryAfter, code } = refusal;
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  if (code === undefined) return response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
  response.writeHead(status, { 'content-type': 'application/problem+json' });
  return response.end(
    JSON.stringify({ type: 't', title: 't', status, detail: 'Refused.', code, request_id: 'r' }),
  );
}
