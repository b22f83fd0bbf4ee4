import { type Area, createArea } from '../area.ts';
import { lintRest } from '../lint/rest/index.ts';
import { readRest } from '../model/rest/rest.ts';
import { eventsFileOf } from '../model/rest/events.ts';
import { ACCOUNT, namesOf, type Service } from '../model/rest/service.ts';
import { renderAnswers } from '../render/rest/answers.ts';
import { renderBodies } from '../render/rest/bodies.ts';
import { renderCases } from '../render/rest/cases.ts';
import { renderClient } from '../render/rest/client.ts';
import { renderTsRestContract } from '../render/rest/contract.ts';
import { renderDocs } from '../render/rest/docs.ts';
import { renderDocument } from '../render/rest/document.ts';
import { renderEvents } from '../render/rest/events.ts';
import { renderHandlers, renderRegister } from '../render/rest/handlers.ts';
import { renderOperations } from '../render/rest/operations.ts';
import { renderRestReference } from '../render/reference/rest-pages.ts';
import { renderTypes } from '../render/rest/types.ts';
import { parseYaml } from '../yaml.ts';

/** A service over REST. */
export const restArea = (service: Service): Area => {
  const { headFile, scenarioFile, operationsFolder, schemasFolder } = namesOf(service);
  return createArea({
    name: service.folder,
    reads: [
      headFile,
      scenarioFile,
      ...(service === ACCOUNT ? [eventsFileOf(service)] : []),
      `${operationsFolder}*.yaml`,
      `${schemasFolder}*.yaml`,
    ].map((path) => ({
      path,
      parse: parseYaml,
    })),
    lint: (sources) => lintRest(sources, service),
    model: (sources) => readRest(sources, service),
    renderers: [
      renderDocument,
      renderTypes,
      renderOperations,
      renderBodies,
      renderHandlers,
      renderRegister,
      renderTsRestContract,
      renderClient,
      renderCases,
      renderAnswers,
      renderDocs,
      renderRestReference,
      renderEvents,
    ],
  });
};
