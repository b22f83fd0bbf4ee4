import { createArea } from '../area.ts';
import { lintWallets } from '../lint/wallets/index.ts';
import {
  OPERATIONS_FOLDER,
  readWallets,
  WALLET_SCHEMAS_FOLDER,
  WALLETS_HEAD_FILE,
  WALLETS_SCENARIO_FILE,
} from '../model/wallets/wallets.ts';
import { renderAnswers } from '../render/wallets/answers.ts';
import { renderBodies } from '../render/wallets/bodies.ts';
import { renderWalletCases } from '../render/wallets/cases.ts';
import { renderWalletClient } from '../render/wallets/client.ts';
import { renderTsRestContract } from '../render/wallets/contract.ts';
import { renderDocument } from '../render/wallets/document.ts';
import { renderWalletHandlers, renderWalletRegister } from '../render/wallets/handlers.ts';
import { renderOperations } from '../render/wallets/operations.ts';
import { renderWalletDocs } from '../render/wallets/docs.ts';
import { renderTypes } from '../render/wallets/types.ts';
import { parseYaml } from '../yaml.ts';

/** The wallet service, over REST. */
export const walletsArea = createArea({
  name: 'wallets',
  reads: [
    WALLETS_HEAD_FILE,
    WALLETS_SCENARIO_FILE,
    `${OPERATIONS_FOLDER}*.yaml`,
    `${WALLET_SCHEMAS_FOLDER}*.yaml`,
  ].map((path) => ({ path, parse: parseYaml })),
  lint: lintWallets,
  model: readWallets,
  renderers: [
    renderDocument,
    renderTypes,
    renderOperations,
    renderBodies,
    renderWalletHandlers,
    renderWalletRegister,
    renderTsRestContract,
    renderWalletClient,
    renderWalletCases,
    renderAnswers,
    renderWalletDocs,
  ],
});
