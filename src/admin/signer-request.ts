import { serviceError } from '../base/service-error.ts';

/** A command about the signer, checked. */
export type SignerRequest = { readonly kind: 'signer.rotate-master' | 'signer.adopt' };

/** Checks what came over the admin socket or from the command line. @throws ServiceError `invalidCommand`. */
export function readSignerRequest({ kind }: Readonly<Record<string, unknown>>): SignerRequest {
  if (kind === 'signer.rotate-master' || kind === 'signer.adopt') return { kind };
  throw serviceError('invalidCommand', { reason: 'the server does not know this command' });
}
