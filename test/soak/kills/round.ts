import type { Random } from '../../../src/lab/random.ts';
import type { WalletServer } from '../../wallets/open-wallet-server.ts';
import type { Backend, OpenBackend } from './backends.ts';
import type { Book } from './book.ts';

/** What a round of kills works with. */
export type Round = {
  readonly backend: Backend;
  readonly store: OpenBackend;
  readonly server: WalletServer;
  readonly book: Book;
  readonly random: Random;
  /** Whether something was killed: no client asks for more. */
  readonly isOver: () => boolean;
  /** Writes down that something is wrong. */
  readonly fault: (what: string) => void;
};
