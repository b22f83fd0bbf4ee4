import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import { readIdl } from '../trace/idl/read-idl.ts';

const MAX_IDLS = 100;

export const localnetSetIdl: LedgerHandler<Ledger, 'localnet_setIdl'> = ({ idls }, program, idl) => {
  if (idl === 'none') {
    idls.delete(program);
    return null;
  }
  if (!idls.has(program) && idls.size >= MAX_IDLS)
    throw serviceError('invalidParam', {
      reason: `there are IDLs of ${idls.size} programs, the limit is ${MAX_IDLS}; remove some by setting them to none`,
    });
  idls.set(program, readIdl(idl));
  return null;
};
