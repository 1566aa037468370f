#include "tests/tokens/sentences.h"

#include <array>

namespace toolway::tokens {
namespace {

const std::vector<Sentences> kEnglish{
    {"The quick report you asked for is attached; please read the second page first. ",
     "However, internationalization of the user interface has been postponed until spring. ",
     "I went to the market this morning and bought fresh vegetables and some fruit. ",
     "What files are in the current directory, and which of them changed since yesterday? ",
     "Could you summarise the differences between both contracts in three short bullet points?\n\n",
     "- first, check the **configuration**;\n- then restart `toolway`;\n- report what it says.\n"}};
const std::vector<Sentences> kLatin{
    {"Künstliche Intelligenz verändert unsere Lebensweise grundlegend. ",
     "Heute Morgen bin ich auf den Markt gegangen und habe frisches Gemüse gekauft. ",
     "Bitte prüfen Sie die Geschwindigkeitsbegrenzung und die Ergebnisse der Datenbankabfrage. "},
    {"L'intelligence artificielle change notre façon de vivre. ",
     "Veuillez vérifier les résultats dans la base de données, s'il vous plaît. ",
     "Ce matin, je suis allé au marché pour acheter des légumes frais. "},
    {"La inteligencia artificial está cambiando nuestra forma de vivir. ",
     "¿Podría comprobar los resultados en la base de datos antes de mañana? "},
    {"Tekoäly muuttaa elämäntapojamme. ",
     "Tänä aamuna kävin torilla ja ostin tuoreita vihanneksia. ",
     "Tarkista tietokannan tulokset huolellisesti ennen julkaisemista. "},
    {"Yapay zeka yaşam biçimimizi değiştiriyor. ", "Bu sabah pazara gittim ve taze sebze aldım. ",
     "Lütfen veritabanındaki sonuçları kontrol edin ve raporu gönderin. "},
    {"Trí tuệ nhân tạo đang thay đổi cách sống của chúng ta. ",
     "Vui lòng kiểm tra kết quả trong cơ sở dữ liệu. "}};
const std::vector<Sentences> kChinese{
    {"人工智能正在改变我们的生活方式。",
     "今天早上我去市场买了一些新鲜的蔬菜和水果,然后回家做了午餐。",
     "数据库里的记录已经更新,请检查结果是否正确。", "当前目录里有哪些文件?"},
    {"請問這個檔案在哪裡?", "我昨天已經把報告寄給經理了,但是他還沒有回覆。",
     "臺灣的天氣最近變化很大。"}};
const std::vector<Sentences> kJapaneseKorean{
    {"昨日は友達と一緒に東京へ行きました。",
     "プログラムを実行すると、エラーメッセージが表示されます。",
     "ファイルの内容を確認してください。"},
    {"어제 친구와 함께 서울에 갔습니다. ", "프로그램을 실행하면 오류 메시지가 표시됩니다. ",
     "파일의 내용을 확인해 주세요. "}};
const std::vector<Sentences> kRightToLeft{
    {"الذكاء الاصطناعي يغير طريقة حياتنا. ",
     "ذهبت هذا الصباح إلى السوق واشتريت بعض الخضروات الطازجة. ",
     "يرجى التحقق من صحة النتائج في قاعدة البيانات. "},
    {"هوش مصنوعی شیوه زندگی ما را تغییر می‌دهد. ",
     "امروز صبح به بازار رفتم و سبزیجات تازه خریدم. "},
    {"הבינה המלאכותית משנה את חיינו. ", "הלכתי הבוקר לשוק וקניתי ירקות טריים. "}};
const std::vector<Sentences> kCyrillicGreek{
    {"Искусственный интеллект меняет нашу жизнь. ",
     "Сегодня утром я пошёл на рынок и купил свежие овощи. ",
     "Пожалуйста, проверьте результаты в базе данных. "},
    {"Штучний інтелект змінює наше життя. ", "Будь ласка, перевірте результати у базі даних. "},
    {"Η τεχνητή νοημοσύνη αλλάζει τη ζωή μας. ",
     "Σήμερα το πρωί πήγα στην αγορά και αγόρασα φρέσκα λαχανικά. "}};
const std::vector<Sentences> kIndicThai{
    {"कृत्रिम बुद्धिमत्ता हमारे जीवन को बदल रही है। ", "आज सुबह मैं बाज़ार गया और ताज़ी सब्जियाँ खरीदीं। "},
    {"செயற்கை நுண்ணறிவு நம் வாழ்க்கையை மாற்றுகிறது. ",
     "இன்று காலை நான் சந்தைக்குச் சென்று புதிய காய்கறிகளை வாங்கினேன். "},
    {"ปัญญาประดิษฐ์กำลังเปลี่ยนแปลงวิถีชีวิตของเรา ", "เช้านี้ฉันไปตลาดและซื้อผักสด "}};
const std::vector<Sentences> kFewSpeak{
    {"ხელოვნური ინტელექტი ცვლის ჩვენს ცხოვრებას. ",
     "დღეს დილით ბაზარში წავედი და ახალი ბოსტნეული ვიყიდე. "},
    {"ሰው ሰራሽ የማሰብ ችሎታ ሕይወታችንን እየቀየረ ነው። ", "ዛሬ ጠዋት ወደ ገበያ ሄድኩ። "},
    {"བོད་ཀྱི་སྐད་ཡིག་ནི་ཧ་ཅང་མཛེས་པོ་ཡིན། ", "ང་རང་དེ་རིང་ཁྲོམ་ལ་ཕྱིན་པ་ཡིན། "}};
const std::vector<Sentences> kEmoji{{"😀🎉🚀", "❤️👍🏽 ", "👨‍👩‍👧‍👦🔥✨",
                                     "🇩🇪🤖📈💡 ", "great job!! 🥳🥳 ", "→ ✅ done ∑≠≤ "}};

constexpr std::array<std::string_view, 14> kCode{
    "#include <vector>",
    "  for (std::size_t i = 0; i < messages_.size(); ++i) {",
    "    made.load += estimate_.load(i, tokens_of(messages_[i]));",
    "  if (!result) return tl::unexpected(std::move(result.error()));",
    "};",
    "",
    "def word_count(text: str, min_length: int = 1) -> int:",
    "    return sum(len(word) >= min_length for word in text.split())",
    "        raise ValueError(f\"unexpected status {response.status_code}\")",
    "const handler = async (req, res) => { await db.query('SELECT * FROM calls WHERE id = $1', [req.id]); };",
    "export function getTokenizerOptions(modelName: string): Options | undefined {",
    "    // The limit is inclusive, see RFC 9110 section 14.1.2",
    "<div class=\"card__title\" data-id=\"42\"><a href=\"/docs/index.html\">Read</a></div>",
    "curl -fsS https://example.com/api/v1/items?page=2 | jq -c '.items[] | {id, name}'"};

}  // namespace

const std::vector<Sentences>& languages_of(Kind kind) {
  switch (kind) {
    case Kind::kLatin: return kLatin;
    case Kind::kChinese: return kChinese;
    case Kind::kJapaneseKorean: return kJapaneseKorean;
    case Kind::kRightToLeft: return kRightToLeft;
    case Kind::kCyrillicGreek: return kCyrillicGreek;
    case Kind::kIndicThai: return kIndicThai;
    case Kind::kFewSpeak: return kFewSpeak;
    case Kind::kEmoji: return kEmoji;
    default: return kEnglish;
  }
}

std::span<const std::string_view> code_lines() { return kCode; }

}  // namespace toolway::tokens
