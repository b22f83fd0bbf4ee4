import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invoice } from '../../../../../generated/account/types.ts';
import type { BillItem } from '../../../../../runtime/bill.ts';
import { inBatches } from '../../../../../runtime/in-batches.ts';
import { type BillVerdict, verifyBill } from '../../../../../runtime/verify-bill.ts';
import { exportRows } from '../../../parts/export-rows.ts';
import { isStopped } from '../../../parts/is-stopped.ts';
import { openFile } from '../../../parts/save-file.ts';
import { useStoppable } from '../../../parts/use-stoppable.ts';
import { browserCrypto } from '../../audit/browser-crypto.ts';
import { readBillItems } from './bill-items.ts';
import { BILL_PRICES } from './bill-prices.ts';
import { type BillProgress, watchItems } from './watch-items.ts';

/** A task on the records of an invoice. `trustedKeys` is empty for any key. */
type BillTask =
  | { readonly kind: 'verify'; readonly trustedKeys: readonly string[] }
  | { readonly kind: 'save' };

/** The result of a task. */
export type BillResult =
  | { readonly kind: 'verified'; readonly verdict: BillVerdict; readonly trustedKeys: readonly string[] }
  | { readonly kind: 'saved'; readonly lines: number }
  | { readonly kind: 'stopped' };

const LINES_AT_ONCE = 500;
const NOTHING: BillProgress = { records: 0, percent: 0 };

/** The work on the records of an invoice: to verify it, and to save it with them. It can be stopped, and stops when the page is left. */
export function useBillWork(number: string) {
  const [progress, setProgress] = useState(NOTHING);
  const { begin, stop } = useStoppable();
  const work = useMutation({
    mutationFn: async (task: BillTask): Promise<BillResult> => {
      const signal = begin();
      setProgress(NOTHING);
      try {
        return await run(
          task,
          number,
          watchItems(readBillItems(number, signal), { onProgress: setProgress }),
        );
      } catch (error) {
        if (isStopped(error) || signal.aborted) return { kind: 'stopped' };
        throw error;
      }
    },
  });
  return { work, progress, stop };
}

async function run(
  task: BillTask,
  number: string,
  items: AsyncIterable<BillItem<Invoice>>,
): Promise<BillResult> {
  if (task.kind === 'save') return { kind: 'saved', lines: await save(number, items) };
  const { trustedKeys } = task;
  const deps = { ...browserCrypto(), prices: BILL_PRICES, trustedKeys };
  return { kind: 'verified', verdict: await verifyBill(deps, items), trustedKeys };
}

/** Writes a line of JSON for each item to a file that the member chooses. @returns the number of lines. */
async function save(number: string, items: AsyncIterable<BillItem<Invoice>>): Promise<number> {
  const file = await openFile(`${number}.bill.jsonl`, 'application/jsonl');
  let lines = 0;
  await exportRows<readonly BillItem<Invoice>[]>(file, {
    ...{ pages: inBatches(items, LINES_AT_ONCE), rowsOf: (batch) => batch, head: [], format: 'jsonl' },
    onRows: (written) => {
      lines = written;
    },
  });
  return lines;
}
