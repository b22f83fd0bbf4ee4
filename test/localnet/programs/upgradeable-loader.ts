import { Keypair, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { UPGRADEABLE_LOADER } from '../../../src/localnet/addresses/program-ids.ts';
import { ByteWriter } from '../../../src/localnet/bytes/byte-writer.ts';
import { assemble } from '../../../src/localnet/programs/sbpf/assemble.ts';
import { elfFile } from '../../../src/localnet/programs/sbpf/elf-file.ts';
import type { TestLedger } from '../new-ledger.ts';
import { landed, sendNow, signed } from '../transactions.ts';

const LOADER = new PublicKey(UPGRADEABLE_LOADER);
const RENT = new PublicKey('SysvarRent111111111111111111111111111111111');
const CLOCK = new PublicKey('SysvarC1ock11111111111111111111111111111111');
const [INITIALIZE_BUFFER, WRITE, DEPLOY, UPGRADE, CLOSE, EXTEND] = [0, 1, 2, 3, 5, 6];
const [BUFFER_BYTES, PROGRAM_BYTES] = [37, 36];
/** Room for each of the small programs here. */
const CODE_BYTES = 512;

/** The key of a program, and the address of its code. */
export type DeployedProgram = { readonly key: Keypair; readonly code: PublicKey };

/** A program whose address sorts before that of its code, or after it: the order in which a transaction names accounts follows from it. */
export function newProgram(isFirst: boolean): DeployedProgram {
  for (;;) {
    const key = Keypair.generate();
    const [code] = PublicKey.findProgramAddressSync([key.publicKey.toBytes()], LOADER);
    if (Buffer.compare(key.publicKey.toBuffer(), code.toBuffer()) < 0 === isFirst) return { key, code };
  }
}

/** Calls of the upgradeable loader as the Solana command line makes them, each in a transaction of its own, by one wallet. */
export function upgradeableLoader(test: TestLedger, wallet: Keypair) {
  const authority = { pubkey: wallet.publicKey, isSigner: true, isWritable: false };
  const call = (data: Uint8Array, ...keys: readonly Meta[]) =>
    new TransactionInstruction({ programId: LOADER, keys: [...keys], data: Buffer.from(data) });
  const land = async (signers: readonly Keypair[], ...instructions: readonly TransactionInstruction[]) => {
    const signature = await sendNow(test, signed(test, [wallet, ...signers], ...instructions));
    const meta = await landed(test, signature);
    if (meta === null) throw new Error('a transaction did not land');
    return meta.err;
  };
  const create = (key: Keypair, space: number) =>
    SystemProgram.createAccount({
      fromPubkey: wallet.publicKey,
      newAccountPubkey: key.publicKey,
      space,
      programId: LOADER,
      lamports: Number(test.ledger.runtime.rentExemption(BigInt(space))),
    });
  /** Writes code that answers with a number: 0 is success, every other one an error of its own. */
  const buffer = async (answer: number): Promise<Meta> => {
    const key = Keypair.generate();
    const [high, low] = [Math.floor(answer / 2 ** 32), answer % 2 ** 32];
    const elf = elfFile(assemble(`mov64 r0, ${high}\nlsh64 r0, 32\nor64 r0, ${low}\nexit`));
    const written = { pubkey: key.publicKey, isSigner: false, isWritable: true };
    const write = new ByteWriter(16 + elf.length).u32(WRITE).u32(0).u64(BigInt(elf.length)).put(elf).bytes;
    const err = await land(
      [key],
      create(key, BUFFER_BYTES + elf.length),
      call(tagged(INITIALIZE_BUFFER), written, authority),
      call(write, written, authority),
    );
    if (err !== null) throw new Error(`the buffer was refused: ${JSON.stringify(err)}`);
    return written;
  };
  return {
    deploy: async ({ key, code }: DeployedProgram, answer: number) => {
      const source = await buffer(answer);
      const program = { pubkey: key.publicKey, isSigner: false, isWritable: true };
      const deploy = call(
        new ByteWriter(12).u32(DEPLOY).u64(BigInt(CODE_BYTES)).bytes,
        { ...authority, isWritable: true },
        { ...program, pubkey: code },
        program,
        source,
        ...[RENT, CLOCK, SystemProgram.programId].map(readOnly),
        authority,
      );
      const isNew = test.ledger.accounts.current(key.publicKey.toBase58()) === undefined;
      return isNew ? await land([key], create(key, PROGRAM_BYTES), deploy) : await land([], deploy);
    },
    upgrade: async ({ key, code }: DeployedProgram, answer: number) => {
      const source = await buffer(answer);
      const program = { pubkey: key.publicKey, isSigner: false, isWritable: true };
      const spill = { ...authority, isSigner: false, isWritable: true };
      const sysvars = [RENT, CLOCK].map(readOnly);
      const keys = [{ ...program, pubkey: code }, program, source, spill, ...sysvars, authority];
      return await land([], call(tagged(UPGRADE), ...keys));
    },
    extend: async ({ key, code }: DeployedProgram, bytes: number) => {
      const program = { pubkey: key.publicKey, isSigner: false, isWritable: true };
      const payer = { ...authority, isWritable: true };
      return await land(
        [],
        call(
          new ByteWriter(8).u32(EXTEND).u32(bytes).bytes,
          ...[{ ...program, pubkey: code }, program, readOnly(SystemProgram.programId), payer],
        ),
      );
    },
    close: async ({ key, code }: DeployedProgram) => {
      const closed = { pubkey: code, isSigner: false, isWritable: true };
      const recipient = { ...closed, pubkey: wallet.publicKey };
      const program = { ...closed, pubkey: key.publicKey };
      return await land([], call(tagged(CLOSE), closed, recipient, authority, program));
    },
    call: async ({ key }: DeployedProgram) => await land([], callOf(key.publicKey)),
    simulate: async ({ key }: DeployedProgram, commitment: 'processed' | 'finalized') => {
      const options = { encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true } as const;
      const text = signed(test, [wallet], callOf(key.publicKey));
      return (await test.call('simulateTransaction', text, { ...options, commitment })).value.err;
    },
    land,
  };
}

type Meta = TransactionInstruction['keys'][number];

/** Each call has other data, so that no two transactions are the same. */
function callOf(programId: PublicKey): TransactionInstruction {
  const data = Buffer.from(Keypair.generate().publicKey.toBytes());
  return new TransactionInstruction({ programId, keys: [], data });
}

function readOnly(pubkey: PublicKey): Meta {
  return { pubkey, isSigner: false, isWritable: false };
}

function tagged(tag: number): Uint8Array {
  return new ByteWriter(4).u32(tag).bytes;
}
