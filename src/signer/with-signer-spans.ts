import type { Tracing } from '../core/tracing.ts';
import type { Signer } from './signer.ts';

/** Puts the calls that requests make to the signer in spans. */
export function withSignerSpans(signer: Signer, tracing: Tracing | undefined): Signer {
  if (tracing === undefined) return signer;
  const traced = <A extends readonly unknown[], T>(
    operation: string,
    call: (...given: A) => Promise<T>,
  ): ((...given: A) => Promise<T>) => {
    const start = { name: 'signer call', attributes: { 'keyslot.operation': operation } } as const;
    return (...given) => tracing.part(start, () => call(...given));
  };
  return {
    ...signer,
    create: traced('create', signer.create),
    createMaster: traced('createMaster', signer.createMaster),
    derive: traced('derive', signer.derive),
    sign: traced('sign', signer.sign),
    destroy: traced('destroy', signer.destroy),
    findDestroyed: traced('findDestroyed', signer.findDestroyed),
  };
}
