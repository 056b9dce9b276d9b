export { aiwgVersion, type DocumentDetails, nativeFormat, toStateDocument } from './aiwg/document.ts';
export { fromStateDocument } from './aiwg/read-document.ts';
