import type { AuditChange, AuditRecord } from './audit-bytes.ts';
import { parseUsd } from './micro-usd.ts';

/** A record of the audit log as the account service shows it. */
export type ShownRecord = {
  readonly account_id: string;
  readonly seq: number;
  readonly at: string;
  readonly action: string;
  readonly outcome: string;
  readonly token_id?: string;
  readonly request_id: string;
  readonly wallet_id?: string;
  readonly units: number;
  readonly address?: string;
  readonly member_id?: string;
  readonly subject?: string;
  readonly charges?: readonly ShownCharge[];
  readonly document_sha256?: string;
  readonly changes?: readonly AuditChange[];
};

type ShownCharge = {
  readonly operation: string;
  readonly units: number;
  readonly month: string;
  readonly amount_usd: string;
  readonly prices?: ShownPrices;
};

/** The prices of a charge as the account service shows them. */
export type ShownPrices = {
  readonly standard_usd: string;
  readonly volume_usd: string;
  readonly volume_threshold: number;
};

/** Returns the part of a shown record that its hash covers. */
export const readAuditRecord = (shown: ShownRecord): AuditRecord => ({
  accountId: shown.account_id,
  seq: shown.seq,
  atMs: Date.parse(shown.at),
  action: shown.action,
  outcome: shown.outcome,
  tokenId: shown.token_id ?? null,
  requestId: shown.request_id,
  walletId: shown.wallet_id ?? null,
  units: shown.units,
  address: shown.address ?? null,
  memberId: shown.member_id ?? null,
  subject: shown.subject ?? null,
  charges: shown.charges?.map(readCharge) ?? null,
  documentSha256: shown.document_sha256 ?? null,
  changes: shown.changes ?? null,
});

/** An invalid amount is NaN, which no hash covers. */
const readCharge = ({ amount_usd: amount, prices, ...charge }: ShownCharge) => ({
  ...charge,
  amount: Number(parseUsd(amount)),
  ...(prices !== undefined && {
    prices: {
      standard: Number(parseUsd(prices.standard_usd)),
      volume: Number(parseUsd(prices.volume_usd)),
      volumeThreshold: prices.volume_threshold,
    },
  }),
});
