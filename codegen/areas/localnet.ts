import { type Area, type Files, mergeFiles } from '../area.ts';
import { lintCheats } from '../lint/localnet.ts';
import type { LedgerModel } from '../model/ledger.ts';
import { CHEATS_FOLDER, CHEATS_HEAD_FILE, hasCheats, readCheats } from '../model/localnet.ts';
import { renderGroups } from '../render/ledger/groups.ts';
import { renderHandlers } from '../render/ledger/handlers.ts';
import { renderLimits } from '../render/ledger/limits.ts';
import { renderMembers } from '../render/ledger/members.ts';
import { renderMethods } from '../render/ledger/methods.ts';
import { renderOpenrpc } from '../render/ledger/openrpc.ts';
import { renderParams } from '../render/ledger/params.ts';
import { renderCheatHandlers } from '../render/ledger/registers.ts';
import { renderTypes } from '../render/ledger/types.ts';
import { parseYaml } from '../yaml.ts';

/** The cheat codes of the embedded ledger: rendered like the ledger's methods, into their own folder. */
export const localnetArea: Area = {
  name: 'localnet',
  reads: [CHEATS_HEAD_FILE, `${CHEATS_FOLDER}methods/*.yaml`, `${CHEATS_FOLDER}schemas/*.yaml`].map(
    (path) => ({
      path,
      parse: parseYaml,
    }),
  ),
  lint: lintCheats,
  render: (sources) => (hasCheats(sources) ? render(readCheats(sources)) : {}),
};

const render = (model: LedgerModel): Files =>
  moved(
    mergeFiles(
      [
        renderTypes,
        renderMethods,
        renderGroups,
        renderLimits,
        renderMembers,
        renderParams,
        renderHandlers,
        renderCheatHandlers,
        renderOpenrpc,
      ].map((part) => part(model)),
    ),
  );

const moved = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.replace(/^ledger\//, CHEATS_FOLDER), text]),
  );
