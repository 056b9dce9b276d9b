export { type DocumentDetails, toStateDocument } from './aiwg/document.ts';
export { fromStateDocument } from './aiwg/read-document.ts';
