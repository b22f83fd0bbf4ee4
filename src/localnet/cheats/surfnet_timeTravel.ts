import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { type TimeUnit, warpToSlot, warpToTime } from './localnet_warp.ts';
import { surfnetEpoch } from './surfnet-answer.ts';

const HOUR_MS = 3_600_000n;
const MILLISECONDS: TimeUnit = { name: 'absoluteTimestamp', ms: 1n };

export const surfnetTimeTravel: LedgerHandler<Ledger, 'surfnet_timeTravel'> = async (ledger, target) => {
  const { blocks, epochs } = ledger;
  if (target === null || target === undefined)
    await warpToTime(ledger, blocks.time(blocks.openSlot) * 1000n + HOUR_MS, MILLISECONDS);
  else if ('absoluteSlot' in target)
    await warpToSlot(ledger, BigInt(target.absoluteSlot), `absoluteSlot ${target.absoluteSlot}`);
  else if ('absoluteEpoch' in target)
    await warpToSlot(
      ledger,
      epochs.firstSlot(BigInt(target.absoluteEpoch)),
      `absoluteEpoch ${target.absoluteEpoch}`,
    );
  else await warpToTime(ledger, BigInt(target.absoluteTimestamp), MILLISECONDS);
  return surfnetEpoch(ledger);
};
