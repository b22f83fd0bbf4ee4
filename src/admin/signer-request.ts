import { serviceError } from '../base/service-error.ts';

/** A request about the signer, checked. */
export type SignerRequest = { readonly kind: 'signer.rotate-master' | 'signer.adopt' };

/** Checks a request from the admin socket or the command line. @throws ServiceError `invalidCommand`. */
export function readSignerRequest({ kind }: Readonly<Record<string, unknown>>): SignerRequest {
  if (kind === 'signer.rotate-master' || kind === 'signer.adopt') return { kind };
  throw serviceError('invalidCommand', {
    reason: 'the server does not know this command; it may be of another version',
  });
}
