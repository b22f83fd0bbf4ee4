import { OPERATIONS } from '../../../generated/wallets/operations.ts';
import type { LabGateway } from '../gateways/lab-gateway.ts';
import { askService, type ServiceAnswer, type ServiceRequest } from './ask-service.ts';

/** A request whose path is below that of wallets: empty, or `/<id>/sign`. */
export type WalletRequest = ServiceRequest;

/** Asks the wallet service of a gateway. What was not answered has status 0. */
export function askWallets(
  gateway: Pick<LabGateway, 'baseUrl'>,
  { path, ...request }: WalletRequest,
): Promise<ServiceAnswer> {
  return askService(gateway, { ...request, path: `${OPERATIONS.createWallet.path}${path}` });
}
