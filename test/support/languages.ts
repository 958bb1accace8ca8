/** Sentences of a language that are made from lists: who keeps what, and where. */
export interface Language {
  readonly name: string;
  readonly people: readonly string[];
  readonly things: readonly string[];
  readonly places: readonly string[];
  /** How the language says that a person keeps a thing at a place. */
  record(person: string, thing: string, place: string): string;
  /** The same in other words or in another order. */
  rephrased(person: string, thing: string, place: string): string;
  /** Asks where a person keeps a thing. */
  question(person: string, thing: string): string;
  /** Sentences about something else, of which a record may have some around it. */
  readonly others: readonly string[];
}

const list = (text: string) => text.split("|");

/** Twelve languages and English, with ten people, ten things and ten places each. */
export const languages: readonly Language[] = [
  {
    name: "English",
    people: list("Anna|Boris|Clara|David|Elena|Felix|Greta|Hugo|Irene|Jonas"),
    things: list(
      "silver spoons|winter coats|old letters|fishing nets|dried herbs|maps|candles|coins|seeds|tools",
    ),
    places: list(
      "in the attic|under the stairs|in the barn|behind the mill|at the bank|in a chest|by the stove|in the cellar|at school|on the boat",
    ),
    record: (who, what, where) => `${who} keeps the ${what} ${where}.`,
    rephrased: (who, what, where) => `The ${what} that ${who} keeps are ${where}.`,
    question: (who, what) => `Where does ${who} keep the ${what}?`,
    others: ["It rained all week.", "The road to the village was closed.", "Nobody asked about the price."],
  },
  {
    name: "Chinese",
    people: list("王芳|李强|张伟|刘洋|陈静|杨帆|赵敏|黄磊|周杰|吴婷"),
    things: list("绿茶|雨伞|旧书信|渔网|草药|地图|蜡烛|银币|种子|工具箱"),
    places: list("阁楼|楼梯下面|谷仓|磨坊后面|银行|木箱里|火炉旁|地窖|学校|船上"),
    record: (who, what, where) => `${who}把${what}放在${where}。`,
    rephrased: (who, what, where) => `${where}放着${who}的${what}。`,
    question: (who, what) => `${who}的${what}在哪里？`,
    others: ["整个星期都在下雨。", "通往村子的路被封了。", "没有人问价格是多少！"],
  },
  {
    name: "Japanese",
    people: list("田中|鈴木|佐藤|高橋|伊藤|渡辺|山本|中村|小林|加藤"),
    things: list("緑茶|かさ|古い手紙|カメラ|薬草|地図|ろうそく|銀貨|たね|工具"),
    places: list("屋根裏|階段の下|納屋|水車小屋の裏|銀行|木箱の中|ストーブの横|地下室|学校|船の上"),
    record: (who, what, where) => `${who}さんは${what}を${where}にしまっている。`,
    rephrased: (who, what, where) => `${where}には${who}さんの${what}がしまってある。`,
    question: (who, what) => `${who}さんの${what}はどこにありますか？`,
    others: ["一週間ずっと雨が降っていた。", "村への道は閉鎖された。", "だれも値段を聞かなかった。"],
  },
  {
    name: "Korean",
    people: list("민수|지영|현우|서연|준호|은지|태준|수진|동현|미경"),
    things: list("녹차|우산|옛 편지|그물|약초|지도|양초|은화|씨앗|공구"),
    places: list("다락방|계단 밑|헛간|방앗간 뒤|은행|나무 상자|난로 옆|지하실|학교|배 위"),
    record: (who, what, where) => `${who} 씨는 ${what}를 ${where}에 보관한다.`,
    rephrased: (who, what, where) => `${where}에는 ${who} 씨의 ${what}가 보관되어 있다.`,
    question: (who, what) => `${who} 씨가 ${what}은 어디에 두었습니까?`,
    others: ["일주일 내내 비가 내렸다.", "마을로 가는 길이 막혔다.", "아무도 값을 묻지 않았다."],
  },
  {
    name: "Thai",
    people: list("สมชาย|มาลี|ประเสริฐ|วันเพ็ญ|อนันต์|กมลา|ธนา|สุดา|วิชัย|พิมพ์"),
    things: list("ชาเขียว|ร่มสีแดง|จดหมายเก่า|แหจับปลา|สมุนไพร|แผนที่|เทียนไข|เหรียญเงิน|เมล็ดพันธุ์|เครื่องมือ"),
    places: list("ห้องใต้หลังคา|ใต้บันได|ยุ้งข้าว|หลังโรงสี|ธนาคาร|หีบไม้|ข้างเตาไฟ|ห้องใต้ดิน|โรงเรียน|บนเรือ"),
    record: (who, what, where) => `${who}เก็บ${what}ไว้ที่${where}`,
    rephrased: (who, what, where) => `ที่${where}มี${what}ซึ่ง${who}เก็บไว้`,
    question: (who, what) => `${who}เก็บ${what}ไว้ที่ไหน`,
    others: ["ฝนตกตลอดทั้งสัปดาห์", "ถนนไปหมู่บ้านถูกปิด", "ไม่มีใครถามราคา"],
  },
  {
    name: "Hindi",
    people: list("अनिल|सीता|राजेश|गीता|मोहन|कविता|सुरेश|मीरा|विजय|पूजा"),
    things: list("हरी चाय|छाता|पुरानी चिट्ठियाँ|जाल|जड़ी-बूटी|नक़्शा|मोमबत्ती|चाँदी के सिक्के|बीज|औज़ार"),
    places: list("अटारी में|सीढ़ी के नीचे|खलिहान में|चक्की के पीछे|बैंक में|संदूक में|चूल्हे के पास|तहख़ाने में|स्कूल में|नाव पर"),
    record: (who, what, where) => `${who} ${what} ${where} रखता है।`,
    rephrased: (who, what, where) => `${where} ${who} की ${what} रखी है।`,
    question: (who, what) => `${who} ${what} कहाँ रखता है?`,
    others: ["पूरे हफ़्ते बारिश हुई।", "गाँव की सड़क बंद थी।", "किसी ने दाम नहीं पूछा।"],
  },
  {
    name: "Arabic",
    people: list("ليلى|حسن|مريم|يوسف|سلمى|كريم|نادية|عمر|هدى|سامي"),
    things: list("الشاي الأخضر|المظلة|الرسائل القديمة|الشبكة|الأعشاب|الخريطة|الشموع|النقود|البذور|الأدوات"),
    places: list(
      "في العلية|تحت الدرج|في الحظيرة|خلف الطاحونة|في البنك|في الصندوق|قرب الموقد|في القبو|في المدرسة|على القارب",
    ),
    record: (who, what, where) => `يحتفظ ${who} بـ${what} ${where}.`,
    rephrased: (who, what, where) => `${what} عند ${who} محفوظة ${where}.`,
    question: (who, what) => `أين يحتفظ ${who} بـ${what}؟`,
    others: ["هطل المطر طوال الأسبوع.", "كان الطريق إلى القرية مغلقًا.", "لم يسأل أحد عن السعر؟"],
  },
  {
    name: "Hebrew",
    people: list("רות|דוד|מרים|יוסף|שרה|אברהם|נועה|עמוס|תמר|גדעון"),
    things: list("התה הירוק|המטרייה|המכתבים הישנים|הרשת|הצמחים|המפה|הנרות|המטבעות|הזרעים|הכלים"),
    places: list("בעליית הגג|מתחת למדרגות|באסם|מאחורי הטחנה|בבנק|בתיבה|ליד התנור|במרתף|בבית הספר|על הסירה"),
    record: (who, what, where) => `${who} שומר את ${what} ${where}.`,
    rephrased: (who, what, where) => `${what} של ${who} שמורים ${where}.`,
    question: (who, what) => `היכן שומר ${who} את ${what}?`,
    others: ["ירד גשם כל השבוע.", "הדרך לכפר נחסמה.", "איש לא שאל על המחיר."],
  },
  {
    name: "Russian",
    people: list("Анна|Борис|Вера|Глеб|Елена|Фёдор|Ольга|Павел|Ирина|Семён"),
    things: list("зелёный чай|зонт|старые письма|сети|травы|карту|свечи|монеты|семена|инструменты"),
    places: list(
      "на чердаке|под лестницей|в амбаре|за мельницей|в банке|в сундуке|у печи|в погребе|в школе|на лодке",
    ),
    record: (who, what, where) => `${who} хранит ${what} ${where}.`,
    rephrased: (who, what, where) => `Именно ${where} ${who} хранит ${what}.`,
    question: (who, what) => `Где ${who} хранит ${what}?`,
    others: ["Всю неделю шёл дождь.", "Дорога в деревню была закрыта.", "Никто не спросил о цене."],
  },
  {
    name: "Greek",
    people: list("Ελένη|Νίκος|Μαρία|Πέτρος|Σοφία|Γιώργος|Άννα|Κώστας|Ειρήνη|Δημήτρης"),
    things: list(
      "το τσάι|την ομπρέλα|τα παλιά γράμματα|τα δίχτυα|τα βότανα|τον χάρτη|τα κεριά|τα νομίσματα|τους σπόρους|τα εργαλεία",
    ),
    places: list(
      "στη σοφίτα|κάτω από τη σκάλα|στον αχυρώνα|πίσω από τον μύλο|στην τράπεζα|στο σεντούκι|δίπλα στη σόμπα|στο υπόγειο|στο σχολείο|στη βάρκα",
    ),
    record: (who, what, where) => `${who} φυλάει ${what} ${where}.`,
    rephrased: (who, what, where) => `Τώρα ${what} φυλάει ${who} ${where}.`,
    question: (who, what) => `Πού φυλάει ${who.toUpperCase()} ${what};`,
    others: [
      "Έβρεχε όλη την εβδομάδα.",
      "Ο δρόμος για το χωριό ήταν κλειστός.",
      "Κανείς δεν ρώτησε την τιμή;",
    ],
  },
  {
    name: "German",
    people: list("Jürgen|Käthe|Günther|Bärbel|Jörg|Heike|Sören|Änne|Björn|Grete"),
    things: list(
      "den Grüntee|den Schirm|die alten Briefe|die Netze|die Kräuter|die Straßenkarte|die Kerzen|die Münzen|die Samen|das Werkzeug",
    ),
    places: list(
      "auf dem Speicher|unter der Treppe|in der Scheune|hinter der Mühle|bei der Bank|in der Truhe|neben dem Ofen|im Keller|in der Schule|auf dem Boot",
    ),
    record: (who, what, where) => `${who} verwahrt ${what} ${where}.`,
    rephrased: (who, what, where) => `Dort, ${where}, verwahrt ${who} ${what}.`,
    question: (who, what) => `Wo verwahrt ${who.normalize("NFD")} ${what.replace("ß", "ss")}?`,
    others: [
      "Es regnete die ganze Woche.",
      "Der Weg ins Dorf war gesperrt.",
      "Niemand fragte nach dem Preis.",
    ],
  },
  {
    name: "French",
    people: list("Hélène|François|Zoé|Rémi|Chloé|Gaël|Inès|Léo|Noémie|Joël"),
    things: list(
      "le thé vert|le parapluie|les vieilles lettres|les filets|les herbes|la carte|les bougies|les pièces|les graines|les outils",
    ),
    places: list(
      "au grenier|sous l’escalier|dans la grange|derrière le moulin|à la banque|dans le coffre|près du poêle|à la cave|à l’école|sur le bateau",
    ),
    record: (who, what, where) => `${who} garde ${what} ${where}.`,
    rephrased: (who, what, where) => `C’est ${where} que ${who} garde ${what}.`,
    question: (who, what) =>
      `Ou garde ${who.normalize("NFD").replace(/\p{M}/gu, "")} ${what.normalize("NFD").replace(/\p{M}/gu, "")} ?`,
    others: [
      "Il a plu toute la semaine.",
      "La route du village était fermée.",
      "Personne n’a demandé le prix.",
    ],
  },
  {
    name: "Vietnamese",
    people: list("Lan|Hùng|Mai|Tuấn|Hương|Dũng|Thảo|Quân|Yến|Khoa"),
    things: list("trà xanh|chiếc ô|thư cũ|lưới cá|thảo dược|bản đồ|nến|đồng bạc|hạt giống|dụng cụ"),
    places: list(
      "trên gác mái|dưới cầu thang|trong kho thóc|sau cối xay|ở ngân hàng|trong rương|cạnh bếp lò|dưới hầm|ở trường|trên thuyền",
    ),
    record: (who, what, where) => `${who} cất ${what} ${where}.`,
    rephrased: (who, what, where) => `Hiện nay ${what} được ${who} cất ${where}.`,
    question: (who, what) => `${who} cất ${what} ở đâu?`,
    others: ["Trời mưa suốt tuần.", "Đường vào làng bị đóng.", "Không ai hỏi giá."],
  },
];
