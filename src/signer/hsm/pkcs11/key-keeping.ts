import type { KeyOwner, MadeKey, SealedKey } from '../hsm.ts';
import type { Handle } from './cryptoki.ts';

/** One of the two ways to keep keys with a token: in it, or wrapped by it. Each call has a session of its own. */
export type KeyKeeping = {
  /** `loginEpoch` is a new object after each login; everything remembered of the token before is invalid then. */
  readonly create: (session: Handle, loginEpoch: object, owner: KeyOwner) => Promise<MadeKey>;
  readonly sign: (
    session: Handle,
    loginEpoch: object,
    key: SealedKey,
    message: Uint8Array,
  ) => Promise<Uint8Array>;
};
