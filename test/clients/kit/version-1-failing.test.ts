import {
  type Address,
  generateKeyPairSigner,
  isSolanaError,
  type KeyPairSigner,
  SOLANA_ERROR__INSTRUCTION_ERROR__COMPUTATIONAL_BUDGET_EXCEEDED,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
  SOLANA_ERROR__TRANSACTION_ERROR__MAX_LOADED_ACCOUNTS_DATA_SIZE_EXCEEDED,
} from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { TARGETS } from '../targets.ts';
import {
  type Clients,
  FEE,
  fundedSigner,
  land,
  messageOf,
  openKit,
  sign,
  SOL,
  transfer,
  type Version1Message,
} from './version-1.ts';

const PLENTY = { computeUnitLimit: 200_000, loadedAccountsDataSizeLimit: 65_536 };

const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe.each(TARGETS)('version 1 that fails at %s', (_, target) => {
  let clients: Clients;
  let payer: KeyPairSigner;
  let recipient: Address;

  beforeAll(async () => {
    clients = openKit(target);
    payer = await fundedSigner(clients);
    recipient = (await generateKeyPairSigner()).address;
  });

  /** The error of sending and confirming the message, with preflight or without. */
  const failureOf = async (message: Version1Message, skipPreflight = false): Promise<unknown> =>
    await thrownBy(clients.sendAndConfirm(await sign(message), { commitment: 'confirmed', skipPreflight }));

  test('preflight refuses a transfer of more than there is, with the error of the program', async () => {
    const message = await messageOf(clients, payer, [transfer(payer, recipient, 100n * SOL)], PLENTY);
    const failure = await failureOf(message);
    expect(
      isSolanaError(failure, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE),
    ).toBe(true);
    const { cause } = failure as Error;
    expect(isSolanaError(cause, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM)).toBe(true);
    expect(cause).toMatchObject({ context: { code: 1, index: 0 } });
  });

  test('limits that are not set are 0: preflight says which one is exceeded', async () => {
    const instructions = [transfer(payer, recipient, SOL)];
    const unlimited = await failureOf(await messageOf(clients, payer, instructions));
    const { cause } = unlimited as Error;
    expect(
      isSolanaError(cause, SOLANA_ERROR__TRANSACTION_ERROR__MAX_LOADED_ACCOUNTS_DATA_SIZE_EXCEEDED),
    ).toBe(true);
    const { loadedAccountsDataSizeLimit } = PLENTY;
    const unitless = await failureOf(
      await messageOf(clients, payer, instructions, { loadedAccountsDataSizeLimit }),
    );
    expect(
      isSolanaError(
        (unitless as Error).cause,
        SOLANA_ERROR__INSTRUCTION_ERROR__COMPUTATIONAL_BUDGET_EXCEEDED,
      ),
    ).toBe(true);
  });

  test('one that lands with an error is told by its confirmation, and has cost its fee', async () => {
    const poor = await fundedSigner(clients);
    const limits = { ...PLENTY, computeUnitLimit: 1, priorityFeeLamports: 7n };
    const message = await messageOf(clients, poor, [transfer(poor, recipient, SOL)], limits);
    const failure = await failureOf(message, true);
    expect(isSolanaError(failure, SOLANA_ERROR__INSTRUCTION_ERROR__COMPUTATIONAL_BUDGET_EXCEEDED)).toBe(true);
    // kit throws as soon as there is an error, which may be before the transaction is confirmed.
    const left = await eventually('the fee is taken', async () => {
      const { value } = await clients.rpc.getBalance(poor.address).send();
      return value === 10n * SOL ? undefined : value;
    });
    expect(left).toBe(10n * SOL - FEE - 7n);
  });

  test('a caller that reads version 0 is refused it, and its whole block', async () => {
    const { signature, slot } = await land(clients, payer, [transfer(payer, recipient, SOL)]);
    const { rpc } = clients;
    const config = { encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
    for (const call of [rpc.getTransaction(signature, config), rpc.getBlock(slot, config)]) {
      const failure = await thrownBy(call.send());
      expect(
        isSolanaError(failure, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION),
      ).toBe(true);
      expect(String(failure)).toContain('Transaction version (1) is not supported by the requesting client');
    }
  });
});
