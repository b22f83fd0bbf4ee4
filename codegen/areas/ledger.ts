import { createArea } from '../area.ts';
import { lintLedger } from '../lint/ledger/index.ts';
import { EMBEDDED_FILE } from '../model/embedded.ts';
import {
  HEAD_FILE,
  METHODS_FOLDER,
  PRESENTATION_FILE,
  readLedger,
  SCENARIO_FILE,
  SCHEMAS_FOLDER,
  SUBSCRIPTIONS_FILE,
  SUBSCRIPTIONS_FOLDER,
} from '../model/ledger.ts';
import { renderEmbeddedPage, renderFlags } from '../render/ledger/embedded-page.ts';
import { renderClient } from '../render/ledger/client.ts';
import { renderContract } from '../render/ledger/contract.ts';
import { renderDecoders } from '../render/ledger/decoders.ts';
import { renderDocs } from '../render/ledger/docs.ts';
import { renderExamples } from '../render/ledger/examples.ts';
import { renderGroups } from '../render/ledger/groups.ts';
import { renderHandlers } from '../render/ledger/handlers.ts';
import { renderLimits } from '../render/ledger/limits.ts';
import { renderMethods } from '../render/ledger/methods.ts';
import { renderOpenrpc } from '../render/ledger/openrpc.ts';
import { renderPackage } from '../render/ledger/package.ts';
import { renderParams } from '../render/ledger/params.ts';
import {
  renderGatewayHandlers,
  renderLocalnetHandlers,
  renderLocalnetSubscriptions,
} from '../render/ledger/registers.ts';
import { renderResults } from '../render/ledger/results.ts';
import { renderScenario } from '../render/ledger/scenario.ts';
import { renderSubscriptionContract } from '../render/ledger/subscription-contract.ts';
import { renderSubscriptions } from '../render/ledger/subscriptions.ts';
import { renderSubscriptionsClient } from '../render/ledger/subscriptions-client.ts';
import { renderTypes } from '../render/ledger/types.ts';
import { renderSlots } from '../render/ledger/slots.ts';
import { renderLedgerReference } from '../render/reference/ledger-pages.ts';
import { renderVersions } from '../render/ledger/versions.ts';
import { parseYaml } from '../yaml.ts';

/** JSON-RPC access to a ledger node. */
export const ledgerArea = createArea({
  name: 'ledger',
  reads: [
    HEAD_FILE,
    PRESENTATION_FILE,
    SCENARIO_FILE,
    EMBEDDED_FILE,
    SUBSCRIPTIONS_FILE,
    `${SUBSCRIPTIONS_FOLDER}*.yaml`,
    `${METHODS_FOLDER}*.yaml`,
    `${SCHEMAS_FOLDER}*.yaml`,
  ].map((path) => ({
    path,
    parse: parseYaml,
  })),
  lint: lintLedger,
  model: readLedger,
  renderers: [
    renderTypes,
    renderMethods,
    renderGroups,
    renderSubscriptions,
    renderVersions,
    renderSlots,
    renderLimits,
    renderFlags,
    renderParams,
    renderHandlers,
    renderLocalnetHandlers,
    renderLocalnetSubscriptions,
    renderGatewayHandlers,
    renderDecoders,
    renderClient,
    renderSubscriptionsClient,
    renderPackage,
    renderExamples,
    renderOpenrpc,
    renderDocs,
    renderLedgerReference,
    renderEmbeddedPage,
    renderResults,
    renderContract,
    renderSubscriptionContract,
    renderScenario,
  ],
});
