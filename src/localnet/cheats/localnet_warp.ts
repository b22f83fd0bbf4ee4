import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import { warpTo } from '../time/warp.ts';
import { positionOf } from './position.ts';

const LAST = BigInt(Number.MAX_SAFE_INTEGER);
/** 1,000 years. */
const MAX_AHEAD_SECONDS = 31_557_600_000n;

export const localnetWarp: LedgerHandler<Ledger, 'localnet_warp'> = async (ledger, target) => {
  if ('slot' in target) await warpToSlot(ledger, BigInt(target.slot), `slot ${target.slot}`);
  else if ('epoch' in target)
    await warpToSlot(ledger, ledger.epochs.firstSlot(BigInt(target.epoch)), `epoch ${target.epoch}`);
  else {
    assertSeconds(ledger, BigInt(target.timestamp));
    await warpToTime(ledger, BigInt(target.timestamp) * 1000n, SECONDS);
  }
  return positionOf(ledger);
};

/** A time in milliseconds would be tens of thousands of years ahead. @throws ServiceError invalidParam. */
function assertSeconds({ blocks }: Ledger, timestamp: bigint): void {
  if (timestamp - blocks.time(blocks.openSlot) > MAX_AHEAD_SECONDS)
    throw serviceError('invalidParam', {
      reason: `timestamp ${timestamp} is too far away, more than 1,000 years ahead; it is in seconds since 1970, not in milliseconds`,
    });
}

/**
 * Warps to a slot; time advances by the length of the slots between.
 *
 * @throws ServiceError invalidParam: the slot is not after the open one, or too far away; ledgerStopped.
 */
export async function warpToSlot(ledger: Ledger, slot: bigint, named: string): Promise<void> {
  const { blocks, clock, pace } = ledger;
  assertAfter(slot, blocks.openSlot, named, `the open slot, ${blocks.openSlot}`);
  const timeMs = clock.nowMs() + Number(slot - blocks.openSlot) * pace.slotMs;
  assertReachable({ slot, timeMs }, named);
  await warpTo(ledger, slot, timeMs);
}

/** The unit of a time in error messages: its number of milliseconds. */
export type TimeUnit = { readonly name: string; readonly ms: bigint };

const SECONDS: TimeUnit = { name: 'timestamp', ms: 1000n };

/**
 * Warps to a time in milliseconds since 1970, over as many slots as fit in between.
 *
 * @throws ServiceError invalidParam: the time is not after that of the open slot, or too far away; ledgerStopped.
 */
export async function warpToTime(ledger: Ledger, wantedMs: bigint, unit: TimeUnit): Promise<void> {
  const { blocks, clock, pace } = ledger;
  const named = `${unit.name} ${wantedMs / unit.ms}`;
  const nowMs = blocks.time(blocks.openSlot) * 1000n;
  assertAfter(wantedMs, nowMs, named, `that of the open slot, ${nowMs / unit.ms}`);
  const timeMs = Math.max(Number(wantedMs), clock.nowMs());
  const slots = BigInt(Math.max(1, Math.ceil((timeMs - clock.nowMs()) / pace.slotMs)));
  assertReachable({ slot: blocks.openSlot + slots, timeMs }, named, unit);
  await warpTo(ledger, blocks.openSlot + slots, timeMs);
}

function assertAfter(wanted: bigint, now: bigint, named: string, open: string): void {
  if (wanted <= now)
    throw serviceError('invalidParam', {
      reason: `${named} is not after ${open}; localnet_restore goes back`,
    });
}

function assertReachable(
  { slot, timeMs }: { readonly slot: bigint; readonly timeMs: number },
  named: string,
  unit: TimeUnit = SECONDS,
): void {
  if (slot <= LAST && timeMs <= Number(LAST)) return;
  const limit =
    slot > LAST
      ? `the last slot is ${LAST}`
      : `its time would be ${BigInt(Math.round(timeMs)) / unit.ms}, and the last is ${LAST / unit.ms}`;
  throw serviceError('invalidParam', { reason: `${named} is too far away; ${limit}` });
}
