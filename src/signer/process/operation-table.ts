import type { ByteReader } from '../wire/byte-reader.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { OPERATIONS, type Operation } from '../wire/operations.ts';
import type { Vault } from './vault.ts';

/** Answers the content of one request. @throws ProtocolError for content that does not fit the operation. */
export type AnswerRequest = (content: ByteReader, isRepeat: boolean) => Promise<Buffer>;

/** Returns the handlers of an open signer, by operation code. */
export function operationTable(vault: Vault): ReadonlyMap<number, AnswerRequest> {
  return new Map([
    bind(OPERATIONS.health, vault.health),
    bind(OPERATIONS.create, vault.create),
    bind(OPERATIONS.createMaster, vault.createMaster),
    bind(OPERATIONS.derive, ({ master, children }) => vault.derive(master, children)),
    bind(OPERATIONS.sign, ({ key, message }) => vault.sign(key, message)),
    bind(OPERATIONS.destroy, ({ owner, derivedFrom }) => vault.destroy(owner, derivedFrom)),
    bind(OPERATIONS.signAuditHead, vault.signAuditHead),
    bind(OPERATIONS.auditPublicKey, async () => vault.auditPublicKey()),
    bind(OPERATIONS.beginRotation, vault.beginRotation),
    bind(OPERATIONS.reseal, vault.reseal),
    bind(OPERATIONS.finishRotation, vault.finishRotation),
    bind(OPERATIONS.findDestroyed, vault.findDestroyed),
    bind(OPERATIONS.readTombstones, vault.readTombstones),
    bind(OPERATIONS.addTombstones, vault.addTombstones),
    bind(OPERATIONS.adoptTombstones, vault.adoptTombstones),
  ]);
}

function bind<Q, A>(
  { code, request, answer }: Operation<Q, A>,
  run: (request: Q, isRepeat: boolean) => Promise<A>,
): readonly [number, AnswerRequest] {
  return [
    code,
    async (content, isRepeat) => {
      const asked = request.read(content);
      content.end();
      const writer = new ByteWriter();
      answer.write(writer, await run(asked, isRepeat));
      return writer.done();
    },
  ];
}
