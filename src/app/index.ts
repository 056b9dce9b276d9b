export type { Verification } from '../backup/index.ts';
export type { FleetStatus as FleetStatusReport } from '../fleet/index.ts';
export { originOf } from '../workspace/index.ts';
export { showConfig } from './adapters/redact-facts.ts';
export { readFacts } from './adapters/whole-journal.ts';
export type { AppContext } from './agent-programs.ts';
export { readAudit } from './audit.ts';
export { type BackupReport, backUpLoop } from './back-up-loop.ts';
export { boundBackgroundLog, openBackgroundLog, settleBackgroundLog } from './background-log.ts';
export { type ArchiveReport, archiveLoop } from './backups/archive-loop.ts';
export { type Drill, drillBackup, verifyPlace } from './backups/check-backups.ts';
export { keysFrom } from './backups/keys.ts';
export { holdsArchive, namesPlace, openPlace } from './backups/places.ts';
export { type PushedTarget, type PushReport, pushLoop } from './backups/push-loop.ts';
export type { BackupStanding } from './backups/records.ts';
export { type RestoredReport, restoreArchive, restoreBackup } from './backups/restore-backup.ts';
export { type CurrentSettings, changedSettings } from './changed-settings.ts';
export { collectGarbage, type GarbageReport } from './collect-garbage.ts';
export {
  type DocumentDisk,
  type DocumentPlace,
  encryptDocument,
  encryptedDisk,
  isSealedText,
  plainDisk,
} from './document-disk.ts';
export { type DocumentBackups, type DocumentFile, openDocumentBackups, openDocumentFile } from './document-file.ts';
export type { DrivenLoop } from './driven-loop.ts';
export { editPrompt } from './edit-prompt.ts';
export { type EffectiveSetting, effectiveSettings } from './effective-settings.ts';
export { type Examination, examine } from './examine.ts';
export { exportFormats, exportLoop, isExportFormat } from './export-loop.ts';
export { findProject } from './find-project.ts';
export type { CheckRow, Finding } from './finding.ts';
export { lackOf } from './fleet/lack.ts';
export { settingsWithoutEffect } from './fleet/settings.ts';
export {
  examineFleet,
  type FleetCopy,
  forgetWorker,
  keepLoops,
  limitAccount,
  migrateFleet,
  openFleetCopy,
  type PruneReport,
  pruneFleet,
  readFleetStatus,
  removeSchedule,
  requeueLoop,
  runWorker,
  submitLoop,
  withdrawLoop,
} from './fleet-access.ts';
export {
  createFleetFigures,
  type FleetFigures,
  type FleetNumbers,
  type NumbersOptions,
} from './fleet-figures.ts';
export { type Followed, followLoop, readLoopFacts } from './follow-loop.ts';
export { type ImportReport, importLoops } from './import/import-loops.ts';
export { activeLegacyFile } from './import/legacy-loop.ts';
export { type InspectedIteration, inspectIteration } from './inspect-iteration.ts';
export {
  type CheckedLoop,
  checkKeys,
  createKeyFile,
  createKeyInKeyring,
  type EncryptedLoop,
  encryptLoop,
  type KeyCheck,
  type KeyRotation,
  type NewKey,
  rotateKey,
} from './key-commands.ts';
export { useKeys } from './key-setting.ts';
export { keyFilesOf } from './keys.ts';
export { type LandingReport, landLoop } from './land.ts';
export { type LandedInto, landedInto } from './land-record.ts';
export { type ListedAgent, listAgents, type SignIn, signInOf, versionWarning } from './list-agents.ts';
export { createLoopList, type LoopList } from './loop-list.ts';
export { listLoopNames } from './loop-names.ts';
export { type LoopTrail, openTrail } from './loop-trail.ts';
export type { LoopStatus, LoopView } from './loop-view.ts';
export { idOrLost, lostLoops, orLost } from './lost-loops.ts';
export { localTimeZone, thisMachine, timestamp } from './machine.ts';
export { acknowledgeNotifications, readNotifications } from './notification-records.ts';
export { type ChannelTest, testChannels } from './notifications.ts';
export { openPager } from './open-pager.ts';
export { openShell } from './open-shell.ts';
export { type ParsedRun, parseAgentRun } from './parse-agent.ts';
export { parseTests } from './parse-tests.ts';
export { readPendingCommands } from './pending-commands.ts';
export { shown as showDifference } from './plan-resume.ts';
export { proveLoop, writeDocument } from './prove-loop.ts';
export type { ChainLink } from './read-chain.ts';
export { type LogEntry, type LogRequest, type Logs, openLogs } from './read-logs.ts';
export { findLoop, findLoopId, listLoops } from './read-loops.ts';
export { type LoopReport, readLoopDiff, readReport } from './read-report.ts';
export { type LoopStatistics, readLoopStatistics, readStatistics, type StatisticsReport } from './read-statistics.ts';
export { findSuccessor, listStatuses, readHistory, readStatus } from './read-status.ts';
export { endedLoop, type RecoverReport, recoverLoop } from './recover-loop.ts';
export { rebuildRegistry } from './registry.ts';
export {
  remoteLoopsAt,
  type UndrivenLoop,
  type WholeOutput,
  type WorkElsewhere,
  workElsewhere,
} from './remote-loops.ts';
export type { RemovalReport } from './removal-report.ts';
export { removeWholeLoop } from './remove-loop.ts';
export { assertRestartable, type RestartSetup, removeRestart, setUpRestart } from './restart/restart.ts';
export { type NotResumed as LeftAlone, whyNotResumed as leftAlone } from './restart/unattended.ts';
export { type RestoreReport, restoreLoop } from './restore-loop.ts';
export { assertResumable, resumeLoop } from './resume-loop.ts';
export type { ResumeChanges } from './resume-options.ts';
export { knownPlaces } from './roots.ts';
export { askLoop, resumeThroughOwner, sendToLoop } from './send-command.ts';
export { localSender } from './sender.ts';
export { answerStop, type StopAnswer } from './session/answer-stop.ts';
export {
  type HookAgent,
  type HookChange,
  type HookScope,
  type HookState,
  hookAgents,
  installHook,
  readHook,
  removeHook,
} from './session/hook-settings.ts';
export { type PluginLoop, readPluginLoop, retirePluginLoop } from './session/plugin-loop.ts';
export { type SessionLoop, startInSession } from './session/start-in-session.ts';
export { sessionFileOf } from './session-file.ts';
export { checkSetup } from './setup/check-setup.ts';
export { type FoundTests, type ProjectSurvey, surveyProject } from './setup/survey.ts';
export { writeStarterFile } from './setup/write-starter-file.ts';
export { assertStartable, startLoop } from './start-loop.ts';
export { openStateFolder, type StateFolder } from './state-folder.ts';
export { type LoopPlace, ownState as userStateFolder, placeOf } from './stores.ts';
export type { TemplateExtensions } from './template-extensions.ts';
export { readTranscript, type TranscriptPart, type TranscriptRequest } from './transcripts/read-transcript.ts';
export { type SearchPlace, type SearchRequest, type SearchResult, searchOutput } from './transcripts/search-output.ts';
export {
  assertTrusted,
  type Consent,
  grantAny,
  realPath,
  rememberLines,
  type Trust,
  type TrustRequest,
  trustedFolder,
  trustProject,
} from './trust/consent.ts';
export { type Grant, isGranted, readGrants, removeGrants } from './trust/grants.ts';
export { grantTrust, readTrust, type Trusted } from './trust/read-trust.ts';
export { type LateNotifications, sendUnsent } from './unsent-notifications.ts';
export { type ValidationReport, validateDocument } from './validate-document.ts';
export { type ProofVerification, verifyProof } from './verify-proof.ts';

export { type LoopWatcher, watchLoop } from './watch-loop.ts';

export { placeToStart } from './worktree-start.ts';
